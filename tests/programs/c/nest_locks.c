// Nestable locks: only the outermost set acquires; inner ones are nest_lock events.
// run: threads=2
// expect: lock_init:nest_lock=1 lock_destroy:nest_lock=1 mutex_acquired=2 mutex_released=2
// expect: nest_lock.begin=4 nest_lock.end=4
#include <omp.h>

#include "../check.h"

int main(void) {
  omp_nest_lock_t lock;
  int deepest = 0;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    deepest += omp_test_nest_lock(&lock);
    for (int i = 0; i < 3; i++) omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return finish("nest_locks", deepest == 6);
}
