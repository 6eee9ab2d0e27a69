// States that last: serial work, work in a team, and waits at barriers and for mutexes, with few changes between them.
#include <omp.h>
#include <stdio.h>
#include <time.h>

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

int main(void) {
  double sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += work(0.01);
  sum += work(0.2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    sum += work(0.1);
    if (omp_get_thread_num() == 0) sum += work(0.2);
#pragma omp barrier
    for (int i = 0; i < 2; i++) {
#pragma omp critical
      sum += work(0.1);
    }
#pragma omp barrier
    omp_set_lock(&lock);
    sum += work(0.1);
    omp_unset_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1) sum += work(0.2);
#pragma omp for
    for (int i = 0; i < 2; i++)
      if (i == 0) sum += work(0.1);
    if (omp_get_thread_num() == 1) sum += work(0.1);
  }
  sum += work(0.1);
  omp_destroy_lock(&lock);
  printf("ok states %d\n", sum == 0.125);
  return 0;
}
