// Sixty-four threads on few cores take locks, run tasks and meet in barriers, with buffers that are
// full all the time; the first of them does nothing but flush until the others are done.
// run: threads=64 timeout=60 env=OMP_DYNAMIC=false env=OMP_WAIT_POLICY=passive env=KMP_BLOCKTIME=0
#include <omp.h>

#include "../programs/check.h"

enum { THREADS = 64, REGIONS = 3, ROUNDS = 400 };

static long sum;
static int done;

static void work(void) {
  omp_lock_t own;
  omp_init_lock(&own);
  for (int round = 0; round < ROUNDS; round++) {
    omp_set_lock(&own);
    omp_unset_lock(&own);
#pragma omp task firstprivate(round)
    {
#pragma omp atomic
      sum += round & 1;
    }
    if (round % 16 == 0) {
#pragma omp taskwait
    }
  }
#pragma omp taskwait
  omp_destroy_lock(&own);
  __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}

int main(void) {
  long flushes = 0;
  int team = 0;
  for (int region = 0; region < REGIONS; region++) {
    done = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        team = omp_get_num_threads();
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < team - 1) {
          omp_control_tool(omp_control_tool_flush, 0, NULL);
          flushes++;
        }
      } else {
        work();
      }
#pragma omp barrier
    }
  }
  long wanted = (long)REGIONS * (THREADS - 1) * (ROUNDS / 2);
  printf("%ld flushes\n", flushes);
  return finish("crowd", team == THREADS && sum == wanted && flushes > REGIONS);
}
