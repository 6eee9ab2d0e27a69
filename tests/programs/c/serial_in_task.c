// Explicit tasks of a region of one thread that begin such regions themselves, with `single` and `masked`
// in them: runtimes name the outer region's implicit task for those.
// run: threads=2
// expect: work:single_executor.begin=40 masked.begin=40
#include "../check.h"

enum { OUTER = 4, TASKS = 10 };

static int done;

static void alone(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp single
    done++;
#pragma omp masked
    done++;
  }
}

int main(void) {
  for (int regions = 0; regions < OUTER; regions++) {
#pragma omp parallel num_threads(1)
    for (int left = TASKS; left > 0; left--) {
#pragma omp task
      alone();
    }
  }
  return finish("serial_in_task", done == 2 * OUTER * TASKS);
}
