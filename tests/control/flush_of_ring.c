// On each of two threads 1000 critical sections, then 20 locks, which are the newest that a small ring
// holds; one thread flushes; all of that as often as the argument says, then 30 more locks, SIGKILL.
// run: threads=2 signal=9
#include <omp.h>
#include <signal.h>
#include <stdlib.h>

#include "../programs/check.h"

static omp_lock_t lock;

static void take(int times) {
  for (int i = 0; i < times; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
}

static void round_of_events(void) {
  for (int i = 0; i < 1000; i++)
#pragma omp critical
    __asm__ volatile("");
  take(20);
#pragma omp barrier
#pragma omp masked
  if (omp_control_tool(omp_control_tool_flush, 0, NULL) != 0) abort();
#pragma omp barrier
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    for (int i = 0; i < rounds; i++) round_of_events();
    take(30);
#pragma omp barrier
#pragma omp masked
    {
      finish("flush_of_ring", 1);
      raise(SIGKILL);
    }
#pragma omp barrier
  }
  return 1;
}
