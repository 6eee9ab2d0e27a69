// Opens the libraries of its arguments in turn, each after the one before was closed, and says where it found
// their code. It has a region of its own before: the runtime is there to stay, and so is the memory that it and
// its threads take, which could get in the libraries' place.
// build: flags=-ldl
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

#include "../programs/check.h"

typedef void call(void);

int main(int count, char **arguments) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  omp_get_thread_num();
  for (int at = 1; at < count; at++) {
    void *library = dlopen(arguments[at], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      return finish(dlerror(), 0);
    }
    call *run = (call *)dlsym(library, "run");
    printf("run at %p\n", (void *)run);
    run();
    dlclose(library);
  }
  return finish("host", omp_get_max_threads() > 0);
}
