// One thread works between two regions, while the others idle.
// run: threads=4
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads) /* before */
  threads++;
  usleep(100000);
#pragma omp parallel reduction(+ : threads) /* after */
  threads++;
  return finish("serial", threads == 8);
}
