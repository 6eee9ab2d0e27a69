// Built by GCC and run on libomp through its GOMP entry points: loops, sections, single, critical.
// run: threads=4
// build: compiler=gcc
// expect: parallel_begin=1 parallel_end=1 implicit_task:implicit.begin=4 mutex_acquired:critical=4
#include "../check.h"

int main(void) {
  int sum = 0, once = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; i++) sum++;
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) sum++;
#pragma omp sections
    {
#pragma omp section
      sum++;
#pragma omp section
      sum++;
    }
#pragma omp single
    once++;
#pragma omp critical(update)
    sum++;
  }
  return finish("gcc_loops", sum == 206 && once == 1);
}
