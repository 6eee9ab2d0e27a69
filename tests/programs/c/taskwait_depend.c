// taskwait with depend: waits for one of two tasks.
// run: threads=2
// build: flags=-fopenmp-version=51
// needs: libomp>=16 intel>=2025
// expect: task_create:explicit=2 task_create:taskwait=1 task_schedule:taskwait_complete=1
#include "../check.h"

int main(void) {
  int a = 0, b = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(out : b) shared(b)
    b = 1;
#pragma omp taskwait depend(in : a)
    seen = a;
  }
  return finish("taskwait_depend", seen && b);
}
