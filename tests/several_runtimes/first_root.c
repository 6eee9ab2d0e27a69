// The thread that brought the runtime up ends, and others go on with critical sections and locks:
// many a host language has OpenMP in its pools of threads only.
// run: threads=2
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void *first(void *unused) {
#pragma omp parallel num_threads(2)
  counted_times(50);
  return unused;
}

static void *other(void *lock) {
#pragma omp parallel num_threads(2)
  counted_times(500);
  omp_set_lock(lock);
  omp_unset_lock(lock);
  return NULL;
}

static void run(void *(*body)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, body, argument);
  pthread_join(thread, NULL);
}

int main(void) {
  static omp_lock_t lock;
  own_counts_open();
  run(first, NULL);
  omp_init_lock(&lock);
  run(other, &lock);
  run(other, &lock);
  return finish("first_root", 1);
}
