// Two locks held at the same time and released in the order they were taken: holds do not nest.
// run: threads=2
// expect: mutex_acquired:lock=40 mutex_released:lock=40
#include <omp.h>

#include "../check.h"

int main(void) {
  omp_lock_t first, second;
  int held = 0;
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
    omp_set_lock(&first);
    omp_set_lock(&second);
    held++;
    omp_unset_lock(&first);
    omp_unset_lock(&second);
  }
  omp_destroy_lock(&first);
  omp_destroy_lock(&second);
  return finish("lock_overlap", held == 20);
}
