// A dynamic loop: 20 chunks of 5 iterations, dispatched one by one.
// run: threads=4
// expect: work.begin=4 work.end=4
#include "../check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 5) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += i;
  return finish("for_dynamic", sum == 4950);
}
