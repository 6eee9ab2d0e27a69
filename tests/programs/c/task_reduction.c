// Reductions over tasks: taskgroup task_reduction, in_reduction, and the task modifier of parallel.
// run: threads=4
// expect: task_create:explicit=20
#include "../check.h"

int main(void) {
  int sum = 0, total = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 16; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
#pragma omp parallel reduction(task, + : total)
  {
#pragma omp task in_reduction(+ : total)
    total += 1;
  }
  return finish("task_reduction", sum == 120 && total == 4);
}
