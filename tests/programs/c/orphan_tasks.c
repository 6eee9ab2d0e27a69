// Tasks outside any parallel region: undeferred in effect, run by the initial task's thread.
// run: threads=2
// expect: parallel_begin=0 task_create:explicit=5
#include "../check.h"

int main(void) {
  int done = 0;
  for (int i = 0; i < 5; i++) {
#pragma omp task shared(done)
    done++;
  }
#pragma omp taskwait
  return finish("orphan_tasks", done == 5);
}
