// Loops with nowait, firstprivate, lastprivate and linear.
// run: threads=4
// expect: work.begin=12 work.end=12 parallel_begin=1
#include "../check.h"

int main(void) {
  int last = -1, step = 0, base = 5;
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for nowait firstprivate(base)
    for (int i = 0; i < 40; i++) sum += base;
#pragma omp for lastprivate(last)
    for (int i = 0; i < 40; i++) last = i;
#pragma omp for linear(step : 2)
    for (int i = 0; i < 40; i++) step += 2;
  }
  return finish("for_clauses", sum == 200 && last == 39 && step == 80);
}
