// Taskwaits with dependences by workers of several regions, and such that run tasks that wait in the
// same way: with something in the one word that runtimes keep for them they would abort here.
// run: threads=2
// build: flags=-fopenmp-version=51
// libomp 16 may abort by itself: another thread uses the wait's node on the stack when the wait is over
// (https://github.com/llvm/llvm-project/issues/85963).
// needs: libomp>=19 intel>=2025
// expect: task_create:taskwait=37 task_schedule:taskwait_complete=37
#include "../check.h"

static int waits;

static void deep(int levels) {
  int place = 0;
#pragma omp task depend(out : place) shared(place)
  {
    place = 1;
    if (levels) deep(levels - 1);
  }
#pragma omp task depend(in : place) shared(place)
  if (levels) deep(levels - 1);
#pragma omp taskwait depend(inout : place)
#pragma omp atomic
  waits++;
}

int main(void) {
  for (int regions = 0; regions < 3; regions++) {
#pragma omp parallel
    deep(0);
  }
#pragma omp parallel
#pragma omp single
  deep(4);
  return finish("taskwait_nested", waits == 37);
}
