// taskgroup waits for grandchildren too.
// run: threads=4
// expect: sync_region:taskgroup.begin=1 sync_region:taskgroup.end=1 task_create:explicit=20
#include "../check.h"

int main(void) {
  int done = 0, at_end = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
      {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
      }
    }
#pragma omp atomic read
    at_end = done;
  }
  return finish("taskgroup", at_end == 10);
}
