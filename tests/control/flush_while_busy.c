// Three threads take and release locks without end while the fourth flushes many times. Before each
// flush it notes how many releases had come back from the runtime; the last number is printed.
// run: threads=4 signal=9
#include <omp.h>
#include <signal.h>

#include "../programs/check.h"

static struct { long done; char apart[120]; } count[4];

static long all_done(void) {
  long sum = 0;
  for (int i = 0; i < 4; i++) sum += __atomic_load_n(&count[i].done, __ATOMIC_ACQUIRE);
  return sum;
}

static void work(int me) {
  omp_lock_t own;
  omp_init_lock(&own);
  for (;;) {
    omp_set_lock(&own);
    omp_unset_lock(&own);
    __atomic_store_n(&count[me].done, count[me].done + 1, __ATOMIC_RELEASE);
  }
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() != 0) work(omp_get_thread_num());
    for (long step = 1; step <= 40; step++) {
      while (all_done() < 500 * step) {
      }
      long before = all_done();
      omp_control_tool(omp_control_tool_flush, 0, NULL);
      if (step == 40) printf("flushed %ld\n", before);
    }
    finish("flush_while_busy", 1);
    raise(SIGKILL);
  }
  return 1;
}
