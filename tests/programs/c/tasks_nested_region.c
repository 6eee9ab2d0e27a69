// A task that opens a region of its own, whose threads create tasks in turn.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
// expect: parallel_begin=5 parallel_end=5 task_create:explicit=12
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
#pragma omp parallel num_threads(2) shared(done)
    {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
  }
  return finish("tasks_nested_region", done == 8);
}
