// More events than any buffer holds: four threads, 50,000 locks each.
// run: threads=4
// expect: mutex_acquire:lock=200000 mutex_acquired:lock=200000 mutex_released:lock=200000
#include <omp.h>

#include "../check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    omp_lock_t own;
    omp_init_lock(&own);
    for (int i = 0; i < 50000; i++) {
      omp_set_lock(&own);
      sum++;
      omp_unset_lock(&own);
    }
    omp_destroy_lock(&own);
  }
  return finish("many_events", sum == 200000);
}
