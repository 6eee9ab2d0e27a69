// States that last, on the runtime with the Collector API: work alone and in a team, waits at barriers, for mutexes and for
// one's turn. Whoever does not wait is in `work`.
#include "collector.h"

#include <time.h>

static rt_lock lock = RT_LOCK, critical = RT_LOCK, atomic = RT_LOCK;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

__attribute__((noinline)) static double work(double seconds) {
  double x = 1;
  for (double end = now() + seconds; now() < end;)
    for (int i = 0; i < 10000; i++) x = x * 1.0000001 + 0.5;
  return x;
}

// Thread 0 has the mutex first.
static void contend(rt_lock *mutex, void (*take)(rt_lock *)) {
  if (rt_thread_num() == 0) take(mutex);
  rt_barrier();
  if (rt_thread_num() == 1) take(mutex);
  work(0.05);
  rt_unlock(mutex);
  rt_barrier();
}

static void states(void *unused) {
  (void)unused;
  work(0.05);
  if (rt_thread_num() == 0) work(0.1);
  rt_barrier();
  contend(&lock, rt_set_lock);
  contend(&critical, rt_critical);
  contend(&atomic, rt_atomic);
  if (rt_master()) rt_ordered_loop(), rt_end_master();
  rt_barrier();
  rt_ordered(rt_thread_num());
  work(0.05);
  rt_end_ordered();
  if (rt_thread_num() == 1) work(0.1);
}

int main(void) {
  work(0.05);
  for (int region = 0; region < 2; region++) {
    rt_parallel(2, states, NULL);
    work(0.1);
  }
  return 0;
}
