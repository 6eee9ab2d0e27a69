// Regions, tasks, loops, locks and nested regions without end: to be killed at any instant.
// run: threads=3 signal=9 env=OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>

#include "../programs/check.h"

static omp_lock_t lock;
static volatile long sum;

static void leaf(void) {
  omp_set_lock(&lock);
  sum++;
  omp_unset_lock(&lock);
}

static void team(int round) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++) leaf();
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
      leaf();
    }
    if (round % 4 == 0) {
#pragma omp parallel num_threads(2)
#pragma omp critical
      sum++;
    }
  }
}

int main(void) {
  omp_init_lock(&lock);
  for (int round = 0;; round++) team(round);
}
