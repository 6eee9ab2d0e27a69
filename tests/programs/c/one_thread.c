// A program of one thread: every region is a team of one.
// run: threads=1
// expect: parallel_begin=3 parallel_end=3 thread_begin=1 implicit_task:implicit.begin=3
#include "../check.h"

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < 10; j++) sum += j;
  }
  return finish("one_thread", sum == 135);
}
