// A loop, a critical section and a lock in a team of two, and a team of one inside each of them.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  int sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) {
#pragma omp atomic
      sum += i;
    }
#pragma omp critical
    sum++;
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp masked
    {
#pragma omp critical
      sum++;
    }
  }
  omp_destroy_lock(&lock);
  return finish("constructs", sum == 12);
}
