// A thousand nested regions in two halves of a team that begin theirs in turn, so that the runtime
// gives the inner thread 1 of either half another thread of the system from one round to the next.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2 env=KMP_HOT_TEAMS_MAX_LEVEL=1
// expect: parallel_begin=1001
#include <omp.h>

#include "../programs/check.h"

static int entered[2], left[2], regions;

static void wait_for(int *count, int round) {
  while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < round) {
  }
}

static void inner(int me, int round) {
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
      __atomic_store_n(&entered[me], round, __ATOMIC_RELEASE);
      wait_for(&entered[!me], round);
#pragma omp atomic
      regions++;
    }
  }
  __atomic_store_n(&left[me], round, __ATOMIC_RELEASE);
  wait_for(&left[!me], round);
}

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 1; round <= 500; round++) {
    int me = omp_get_thread_num();
    if (me != round % 2) wait_for(&entered[!me], round);
    inner(me, round);
  }
  return finish("thousand", regions == 1000);
}
