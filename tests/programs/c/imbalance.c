// One thread works longer than the others: barrier waits that a trace must show.
// run: threads=2
// expect: parallel_begin=1 sync_region_wait:barrier_explicit.begin=2
#include <omp.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    if (omp_get_thread_num() == 0) usleep(30000);
#pragma omp barrier
    threads++;
  }
  return finish("imbalance", threads == 2);
}
