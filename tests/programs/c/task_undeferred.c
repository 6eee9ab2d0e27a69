// Tasks with if(0): run at once by the thread that met them.
// run: threads=2
// expect: task_create:explicit=10 task_schedule:complete=10
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task if (0) shared(done)
    done++;
  }
  return finish("task_undeferred", done == 10);
}
