// Guided loops, monotonic and not.
// run: threads=4
// expect: work.begin=8 work.end=8
#include "../check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(guided)
    for (int i = 0; i < 500; i++) sum += i;
#pragma omp for schedule(monotonic : guided, 3)
    for (int i = 0; i < 500; i++) sum += i;
  }
  return finish("for_guided", sum == 2 * 124750);
}
