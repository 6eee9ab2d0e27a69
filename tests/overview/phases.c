// What the first half of the records becomes in a trace is much smaller than what the second half does.
// run: threads=2
#include "../programs/check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    for (int i = 0; i < 60000; i++) {
#pragma omp masked
      sum++;
    }
    for (int i = 0; i < 120000; i++) {
      sum++;
#pragma omp flush
    }
  }
  return finish("phases", sum == 300000);
}
