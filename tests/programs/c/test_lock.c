// omp_test_lock: one that succeeds and five that fail; a failed one is never acquired.
// run: threads=2
// expect: mutex_acquire=6 mutex_acquired=1 mutex_released=1
#include <omp.h>

#include "../check.h"

int main(void) {
  omp_lock_t lock;
  int failed = 0, taken = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) taken = omp_test_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < 5; i++) failed += !omp_test_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return finish("test_lock", taken && failed == 5);
}
