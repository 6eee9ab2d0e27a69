// Ten locks on each of four threads, a flush unless there is an argument, three more, SIGKILL: all
// of them fit in the buffers, so that only the flush brings any to the files.
// run: threads=4 signal=9
#include <omp.h>
#include <signal.h>

#include "../programs/check.h"

static omp_lock_t lock;

static void take(int times) {
  for (int i = 0; i < times; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    take(10);
#pragma omp barrier
    if (omp_get_thread_num() == 2 && argc == 1) omp_control_tool(omp_control_tool_flush, 0, NULL);
#pragma omp barrier
    take(3);
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      finish("flush_then_kill", 1);
      raise(SIGKILL);
    }
#pragma omp barrier
  }
  return 1;
}
