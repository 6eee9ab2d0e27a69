// Two threads take two locks in opposite order, and wait for ever: it is ended by a signal of its own.
// run: threads=2 signal=14
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  omp_lock_t one, other;
  omp_init_lock(&one);
  omp_init_lock(&other);
  alarm(2);
#pragma omp parallel
  {
    omp_lock_t *first = omp_get_thread_num() ? &other : &one;
    omp_lock_t *second = omp_get_thread_num() ? &one : &other;
    omp_set_lock(first);
    usleep(50000);
    omp_set_lock(second);
    omp_unset_lock(first);
  }
  return finish("deadlock", 0);
}
