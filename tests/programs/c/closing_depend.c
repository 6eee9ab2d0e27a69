// Workers that wait at the end of a region run tasks there that wait for dependences themselves. By
// then runtimes have copied the word of the implicit task to where such a wait must find nothing, or
// it aborts the program. Built by GCC, so that it runs on every runtime.
// run: threads=2
// build: compiler=gcc
// expect: task_create:taskwait=3000
#include "../check.h"

enum { REGIONS = 30, TASKS = 100 };

static int done;

static void waits_for_itself(void) {
  int place = 0;
#pragma omp task if (0) depend(inout : place) shared(place)
  place = 1;
#pragma omp atomic
  done += place;
}

int main(void) {
  for (int regions = 0; regions < REGIONS; regions++) {
#pragma omp parallel
#pragma omp master
    for (int left = TASKS; left > 0; left--) {
#pragma omp task
      waits_for_itself();
    }
  }
  return finish("closing_depend", done == REGIONS * TASKS);
}
