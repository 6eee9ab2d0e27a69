// Regions, critical sections, barriers, locks, reductions and idleness until a collector has taken
// 3,000 samples of it, at 1,000 a second on each of four threads, and seen what is long enough to be seen.
// run: timeout=300
#include <omp.h>
#include <stdio.h>

extern int sun_is_satisfied(unsigned long) __attribute__((weak));

static volatile double sink;

static void work(int n) {
  for (int i = 0; i < n; i++) sink += 1.0 / (i + 1);
}

int main(void) {
  if (!sun_is_satisfied) return 2;
  omp_lock_t lock;
  omp_init_lock(&lock);
  long sum = 0, rounds = 0;
  for (; !sun_is_satisfied(3000); rounds++) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp critical
      work(2000);
#pragma omp barrier
      work(1000 * omp_get_thread_num());
      omp_set_lock(&lock);
      work(1000);
      omp_unset_lock(&lock);
#pragma omp for schedule(static, 1) ordered
      for (int i = 0; i < 4; i++) {
#pragma omp ordered
        work(1000);
      }
#pragma omp single
      work(500);
      sum += 1;
    }
    work(20000);
  }
  if (sum != 4 * rounds) return 1;
  puts("ok sampled");
  return 0;
}
