// Regions whose teams grow and shrink, more threads than cores among them.
// run: threads=16
// expect: parallel_begin=5 parallel_end=5 implicit_task:implicit.begin=28 implicit_task:implicit.end=28
#include "../check.h"

int main(void) {
  int sizes[] = {2, 16, 1, 8, 1}, threads = 0;
  for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(sizes[i]) reduction(+ : threads)
    threads++;
  }
  return finish("team_sizes", threads == 28);
}
