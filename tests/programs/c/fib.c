// Recursion: fib(12) with a task for each call, two children at a time.
// run: threads=4
// expect: task_create:explicit=464 task_schedule:complete=464 sync_region:taskwait.begin=232
#include "../check.h"

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(12);
  return finish("fib", result == 144);
}
