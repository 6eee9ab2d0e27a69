// A loop, a critical section and a lock in a team of two, and a team of one inside each of them.
// Only the initial thread enters critical sections: where another one leaves such a section, libomp 19 asks for
// the return address of thread 0 (`OMPT_LOAD_RETURN_ADDRESS(0)`) and takes it away from what thread 0 is about
// to report, now and then.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  int sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    int initial = omp_get_thread_num() == 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) {
#pragma omp atomic
      sum += i;
    }
    if (initial) {
#pragma omp critical
      sum++;
    }
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp masked
    if (initial) {
#pragma omp critical
      sum++;
    }
  }
  omp_destroy_lock(&lock);
  return finish("constructs", sum == 10);
}
