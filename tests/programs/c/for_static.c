// Static loops: whole blocks, chunks, and the combined form.
// run: threads=4
// expect: parallel_begin=2 work.begin=12 work.end=12
#include "../check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; i++) sum += i;
#pragma omp for schedule(static, 7)
    for (int i = 0; i < 1000; i++) sum += i;
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  return finish("for_static", sum == 3 * 499500);
}
