// More events than any buffer holds: four threads, 20,000 locks each or as many as the argument says.
// run: threads=4
// expect: mutex_acquire:lock=80000 mutex_acquired:lock=80000 mutex_released:lock=80000
#include <omp.h>
#include <stdlib.h>

#include "../check.h"

int main(int count, char **arguments) {
  int locks = count > 1 ? atoi(arguments[1]) : 20000;
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    omp_lock_t own;
    omp_init_lock(&own);
    for (int i = 0; i < locks; i++) {
      omp_set_lock(&own);
      sum++;
      omp_unset_lock(&own);
    }
    omp_destroy_lock(&own);
  }
  return finish("many_events", sum == 4L * locks);
}
