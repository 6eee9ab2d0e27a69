// As many threads as the argument says sleep and meet at a barrier, twenty times; what the sleep lasts no signal makes shorter.
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "../programs/check.h"

static void sleep_to(struct timespec *time, long nanoseconds) {
  time->tv_nsec += nanoseconds;
  time->tv_sec += time->tv_nsec / 1000000000;
  time->tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, NULL) != 0) continue;
}

int main(int count, char **arguments) {
  int threads = count > 1 ? atoi(arguments[1]) : 4, began = 0;
#pragma omp parallel num_threads(threads) reduction(+ : began)
  {
    struct timespec time;
    began = 1;
#pragma omp barrier
    clock_gettime(CLOCK_MONOTONIC, &time);
    for (int i = 0; i < 20; i++) {
      sleep_to(&time, 50000000);
#pragma omp barrier
    }
  }
  return finish("sleepers", began == threads);
}
