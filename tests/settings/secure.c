// In the place of getauxval: the program has rights that its user has not (AT_SECURE), as the kernel says of
// set-user-ID programs. For a test that anybody may run.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/auxv.h>

typedef unsigned long ask(unsigned long);

unsigned long getauxval(unsigned long what) {
  return what == AT_SECURE ? 1 : ((ask *)dlsym(RTLD_NEXT, "getauxval"))(what);
}
