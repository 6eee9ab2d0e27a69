// A dependence object: made, used twice, updated and destroyed.
// run: threads=4
// expect: task_create:explicit=3 dependences=3 dependence_entries=3
#include <omp.h>

#include "../check.h"

int main(void) {
  int a = 0, read = 0;
  omp_depend_t object;
#pragma omp parallel
#pragma omp single
  {
#pragma omp depobj(object) depend(inout : a)
#pragma omp task depend(depobj : object) shared(a)
    a += 1;
#pragma omp task depend(depobj : object) shared(a)
    a += 10;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(a, read)
    read = a;
#pragma omp depobj(object) destroy
  }
  return finish("depobj", read == 11);
}
