// Two threads take one lock by polling it: what each holds it for, the other one lacks it. Prints how often it was refused, and
// the nanoseconds from a thread's first refusal until it had it, in all.
// run: threads=2
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../programs/check.h"

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void) {
  omp_lock_t lock;
  long refused = 0, lacked = 0;
  int held = 0;
  omp_init_lock(&lock);
#pragma omp parallel reduction(+ : refused, lacked)
  for (int round = 0; round < 10; round++) {
    long first = 0;
    while (!omp_test_lock(&lock)) { /* polled */
      refused++;
      if (!first) first = now();
      usleep(200);
    }
    if (first) lacked += now() - first;
    held++;
    usleep(10000);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%ld %ld\n", refused, lacked);
  return finish("polled", held == 20);
}
