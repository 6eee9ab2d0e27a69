// Untied tasks that are suspended inside: another thread may carry on.
// run: threads=4
// expect: task_create:explicit=60
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task untied shared(done)
    {
      for (int j = 0; j < 2; j++) {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
      }
#pragma omp taskyield
#pragma omp taskwait
#pragma omp atomic
      done++;
    }
  }
  return finish("task_untied", done == 60);
}
