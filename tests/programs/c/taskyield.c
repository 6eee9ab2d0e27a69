// taskyield inside tasks that others wait behind.
// run: threads=2
// expect: task_create:explicit=20 task_schedule:complete=20
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
    {
#pragma omp taskyield
#pragma omp atomic
      done++;
    }
  }
  return finish("taskyield", done == 20);
}
