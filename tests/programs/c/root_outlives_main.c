// main returns while another root is still alive, between its regions.
// run: threads=2
// expect: parallel_begin=1 parallel_end=1
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static int ready;

static void *root(void *unused) {
#pragma omp parallel num_threads(2)
  {
  }
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  for (;;) pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, root, NULL);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) usleep(100);
  return finish("root_outlives_main", 1);
}
