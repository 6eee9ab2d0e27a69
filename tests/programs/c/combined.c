// Combined constructs: parallel sections, parallel master taskloop, master taskloop simd, parallel loop.
// (clang 19 compiles masked taskloop, the newer name, to nothing at all.)
// run: threads=4
// build: flags=-fopenmp-version=51
// expect: parallel_begin=4 parallel_end=4 work:sections.begin=4 work:taskloop.begin=2 masked.begin=2
#include "../check.h"

int main(void) {
  int sum = 0, cells[10];
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
#pragma omp parallel master taskloop num_tasks(4) shared(sum)
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    sum++;
  }
#pragma omp parallel
#pragma omp master taskloop simd num_tasks(2) shared(cells)
  for (int i = 0; i < 10; i++) cells[i] = i;
#pragma omp parallel loop reduction(+ : sum)
  for (int i = 0; i < 10; i++) sum++;
  return finish("combined", sum == 23 && cells[9] == 9);
}
