// Killed in the midst of its critical sections, which it counts by itself.
// run: threads=4 signal=9
// build: compiler=gcc
#include <signal.h>

#include "../programs/check.h"
#include "../programs/counted.h"

int main(void) {
  own_counts_open();
#pragma omp parallel
  for (int i = 0;; i++) {
    counted();
    if (i == 3000) {
      finish("killed", 1);
      raise(SIGKILL);
    }
  }
}
