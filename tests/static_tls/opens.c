// Opens the libraries that it is given, between two regions: each must load as it does without the tool.
// run: threads=2 timeout=60
#include <dlfcn.h>

#include "../programs/check.h"

static int sum(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 10; i++) sum += i;
  return sum;
}

int main(int count, char **libraries) {
  int good = sum() == 45;
  for (int i = 1; i < count; i++) {
    void *library = dlopen(libraries[i], RTLD_NOW);
    if (!library) printf("%s\n", dlerror());
    good &= library != 0;
  }
  return finish("opens", good & (sum() == 45));
}
