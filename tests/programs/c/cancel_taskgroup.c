// A task group whose tasks are cancelled, most of them before they began.
// run: threads=4 env=OMP_CANCELLATION=true
// expect: cancel:taskgroup>=1 task_create:explicit=50
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
    {
#pragma omp cancellation point taskgroup
#pragma omp atomic
      done++;
#pragma omp cancel taskgroup
    }
  }
  return finish("cancel_taskgroup", done >= 1 && done <= 50);
}
