// Simple locks, with and without a hint.
// run: threads=4
// expect: lock_init:lock=2 lock_destroy:lock=2
// expect: mutex_acquire:lock=200 mutex_acquired:lock=200 mutex_released:lock=200
#include <omp.h>

#include "../check.h"

int main(void) {
  omp_lock_t plain, hinted;
  int a = 0, b = 0;
  omp_init_lock(&plain);
  omp_init_lock_with_hint(&hinted, omp_sync_hint_uncontended);
#pragma omp parallel
  for (int i = 0; i < 25; i++) {
    omp_set_lock(&plain);
    a++;
    omp_unset_lock(&plain);
    omp_set_lock(&hinted);
    b++;
    omp_unset_lock(&hinted);
  }
  omp_destroy_lock(&plain);
  omp_destroy_lock(&hinted);
  return finish("locks", a == 100 && b == 100);
}
