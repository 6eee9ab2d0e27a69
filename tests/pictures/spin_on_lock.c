// Threads that spin on a lock and on a nestable one, which the first thread has until all have failed.
// run: threads=3
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  int failed = 0, taken = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num(), mine = 0;
    if (me == 0) omp_set_lock(&lock), omp_set_nest_lock(&nest);
#pragma omp barrier
    if (me == 1) {
      mine = !omp_test_nest_lock(&nest);
      for (int i = 0; i < 1000; i++) mine += !omp_test_lock(&lock);
    }
    if (me == 2)
      for (int i = 0; i < 500; i++) mine += !omp_test_nest_lock(&nest);
#pragma omp atomic
    failed += mine;
#pragma omp barrier
    if (me == 0) omp_unset_lock(&lock), omp_unset_nest_lock(&nest);
#pragma omp barrier
    if (me == 1) taken = omp_test_lock(&lock);
  }
  return finish("spin_on_lock", failed == 1501 && taken);
}
