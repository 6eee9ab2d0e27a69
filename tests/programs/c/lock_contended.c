// One lock, much wanted and held for a while: waits and hand-overs between threads.
// run: threads=4
// expect: mutex_acquire:lock=40 mutex_acquired:lock=40 mutex_released:lock=40
#include <omp.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  omp_lock_t lock;
  int held = 0;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
    omp_set_lock(&lock);
    held++;
    usleep(500);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return finish("lock_contended", held == 40);
}
