// omp_test_nest_lock: taken twice by its owner, refused to the other thread.
// run: threads=2
// expect: mutex_acquired=1 mutex_released=1
#include <omp.h>

#include "../check.h"

int main(void) {
  omp_nest_lock_t lock;
  int depth = 0, refused = 0;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_test_nest_lock(&lock);
      depth = omp_test_nest_lock(&lock);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1) refused = omp_test_nest_lock(&lock) == 0;
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
  }
  omp_destroy_nest_lock(&lock);
  return finish("test_nest_lock", depth == 2 && refused);
}
