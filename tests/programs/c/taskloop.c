// taskloop: with grainsize, num_tasks and nogroup, and as a simd loop.
// run: threads=4
// expect: work:taskloop.begin=4 work:taskloop.end=4 task_create:explicit>=26
#include "../check.h"

int main(void) {
  int count = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(10) shared(count)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      count++;
    }
#pragma omp taskloop num_tasks(8) shared(count)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      count++;
    }
#pragma omp taskloop num_tasks(4) nogroup shared(count)
    for (int i = 0; i < 100; i++) {
#pragma omp atomic
      count++;
    }
#pragma omp taskloop simd num_tasks(4) reduction(+ : count)
    for (int i = 0; i < 100; i++) count++;
  }
  return finish("taskloop", count == 400);
}
