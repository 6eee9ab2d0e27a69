// Many locks, one address: each is made, used and destroyed before the next.
// run: threads=2
// expect: lock_init:lock=50 lock_destroy:lock=50 mutex_acquired:lock=100 mutex_released:lock=100
#include <omp.h>

#include "../check.h"

int main(void) {
  int held = 0;
  for (int i = 0; i < 50; i++) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    {
      omp_set_lock(&lock);
      held++;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  return finish("lock_reuse", held == 100);
}
