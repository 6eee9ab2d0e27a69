// One thread makes many tasks with next to nothing in them.
// run: threads=2
#include "../programs/check.h"

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5000; i++) {
#pragma omp task shared(sum) /* tiny */
#pragma omp atomic
    sum++;
  }
  return finish("tasks", sum == 5000);
}
