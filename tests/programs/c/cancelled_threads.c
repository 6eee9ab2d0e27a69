// Root threads that use locks until they are cancelled, wherever they are: a tool that writes a file
// in between must not make them abort.
// run: threads=1
// expect: lock_init=10
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static int volatile going;

static void *root(void *unused) {
  (void)unused;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (;;) {
    for (int i = 0; i < 5000; i++) {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
    going = 1;
    pthread_testcancel();
  }
}

int main(void) {
  int joined = 0;
  for (int i = 0; i < 10; i++) {
    pthread_t thread;
    void *result = NULL;
    going = 0;
    pthread_create(&thread, NULL, root, NULL);
    while (!going) usleep(100);
    pthread_cancel(thread);
    joined += pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED;
  }
  return finish("cancelled_threads", joined == 10);
}
