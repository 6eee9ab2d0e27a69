// As closing_depend.c, with `taskwait depend` and more than one worker.
// run: threads=3
// build: flags=-fopenmp-version=51
// needs: libomp>=16 intel>=2025
// expect: task_create:taskwait=2000
#include "../check.h"

enum { REGIONS = 20, TASKS = 100 };

static int done;

static void waits_for_a_child(void) {
  int place = 0;
#pragma omp task depend(out : place) shared(place)
  place = 1;
#pragma omp taskwait depend(in : place)
#pragma omp atomic
  done += place;
}

int main(void) {
  for (int regions = 0; regions < REGIONS; regions++) {
#pragma omp parallel
#pragma omp masked
    for (int left = TASKS; left > 0; left--) {
#pragma omp task
      waits_for_a_child();
    }
  }
  return finish("closing_taskwait", done == REGIONS * TASKS);
}
