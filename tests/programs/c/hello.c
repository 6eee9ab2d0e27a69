// One region: the least that can be traced.
// run: threads=4
// expect: parallel_begin=1 parallel_end=1 implicit_task:implicit.begin=4 implicit_task:implicit.end=4
// expect: initialize=1 finalize=1 thread_begin=4 thread_end=4
#include "../check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  return finish("hello", threads == 4);
}
