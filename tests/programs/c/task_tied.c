// A hundred tied tasks and a taskwait.
// run: threads=4
// expect: task_create:explicit=100 task_schedule:complete=100 sync_region:taskwait.begin=1
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
#pragma omp taskwait
  }
  return finish("task_tied", done == 100);
}
