// So many threads that what is open in all of them matters where a window ends.
// run: threads=48
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    omp_lock_t own;
    omp_init_lock(&own);
    for (int i = 0; i < 3000; i++) {
      omp_set_lock(&own);
      sum++;
      omp_unset_lock(&own);
    }
    omp_destroy_lock(&own);
  }
  return finish("many_threads", sum == 48 * 3000);
}
