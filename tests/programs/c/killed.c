// SIGKILL from inside a region, with a lock held.
// run: threads=2 signal=9
// expect: parallel_begin=1 parallel_end=0 finalize=0 mutex_acquired:critical=1
#include <signal.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp critical(last)
  {
    finish("killed", 1);
    raise(SIGKILL);
  }
  return 1;
}
