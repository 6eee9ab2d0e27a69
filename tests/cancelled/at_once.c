// Threads that may be cancelled at any instruction, and are, while they use locks of their own.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../programs/check.h"

#define THREADS 60
static volatile int going;

static void *thread(void *own) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;) {
    omp_set_lock(own);
    omp_unset_lock(own);
    going = 1;
  }
  return NULL;
}

int main(void) {
  static omp_lock_t locks[THREADS];
  int cancelled = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_t one;
    void *result = NULL;
    going = 0;
    omp_init_lock(&locks[i]);
    pthread_create(&one, NULL, thread, &locks[i]);
    while (!going) usleep(10);
    usleep(37 * i);
    pthread_cancel(one);
    cancelled += pthread_join(one, &result) == 0 && result == PTHREAD_CANCELED;
  }
  return finish("at_once", cancelled == THREADS);
}
