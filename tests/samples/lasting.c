// `main` returns while another root thread lives, whose worker sleeps: Intel's destructor unmaps what that one sleeps on.
// run: threads=2 exit=3 env=KMP_BLOCKTIME=0
#include <pthread.h>
#include <unistd.h>

#include "../programs/check.h"

static int ready;

static void *lasting_root(void *unused) {
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  for (;;) pause();
  return unused;
}

int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
  pthread_create(&thread, NULL, lasting_root, NULL);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) usleep(100);
  // The worker goes to sleep.
  usleep(50000);
  return finish("lasting", 1) ? 1 : 3;
}
