// Explicit barriers: three for each thread.
// run: threads=4
// expect: sync_region:barrier_explicit.begin=12 sync_region:barrier_explicit.end=12
// expect: sync_region_wait:barrier_explicit.begin=12 sync_region_wait:barrier_explicit.end=12
#include "../check.h"

int main(void) {
  int arrived = 0, complete = 1;
#pragma omp parallel
  for (int round = 1; round <= 3; round++) {
#pragma omp atomic
    arrived++;
#pragma omp barrier
    int now;
#pragma omp atomic read
    now = arrived;
    if (now < 4 * round) {
#pragma omp atomic write
      complete = 0;
    }
  }
  return finish("barrier", arrived == 12 && complete);
}
