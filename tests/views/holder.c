// Who waits for whom is known: thread 0 holds the lock until thread 1 has asked for it.
// run: threads=2
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

static int stage;

static void wait_for(int wanted) {
  while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < wanted) usleep(100);
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    omp_set_lock(&lock);  // held long
    __atomic_store_n(&stage, 1, __ATOMIC_RELEASE);
    wait_for(2);
    usleep(100000);
    omp_unset_lock(&lock);
  } else {
    wait_for(1);
    __atomic_store_n(&stage, 2, __ATOMIC_RELEASE);
    omp_set_lock(&lock);  // waits
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return finish("holder", stage == 2);
}
