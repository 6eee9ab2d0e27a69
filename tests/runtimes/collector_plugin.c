// A library that needs the runtime with the Collector API: one region with one inside, twice.
#include "collector.h"

static void inner(void *unused) {
  (void)unused;
  rt_barrier();
}

static void outer(void *unused) {
  (void)unused;
  rt_barrier();
  if (rt_thread_num() == 1) rt_parallel(2, inner, 0);
}

int plugin(void) {
  rt_parallel(3, outer, 0);
  rt_parallel(3, outer, 0);
  return 12;
}
