// Twenty thousand small tasks from all threads at once: more than the runtime's queues hold.
// run: threads=4
// expect: task_create:explicit=20000 task_schedule:complete=20000
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < 20000; i++) {
#pragma omp task shared(done)
    {
#pragma omp atomic
      done++;
    }
  }
  return finish("many_tasks", done == 20000);
}
