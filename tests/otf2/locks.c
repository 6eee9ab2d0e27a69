// Threads, one after the other, that set and unset a lock: THREADS LOCKS.
// run: threads=1
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "../programs/check.h"

static int locks, set;

static void *root(void *unused) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int i = 0; i < locks; i++) {
    omp_set_lock(&lock);
    set++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return unused;
}

int main(int count, char **arguments) {
  int threads = count == 3 ? atoi(arguments[1]) : 0;
  locks = count == 3 ? atoi(arguments[2]) : 0;
  // A runtime that a thread brings up which ends does not report releases.
  omp_lock_t first;
  omp_init_lock(&first);
  omp_destroy_lock(&first);
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, root, NULL);
    pthread_join(thread, NULL);
  }
  return finish("locks", threads > 0 && set == threads * locks);
}
