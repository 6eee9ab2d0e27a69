// Many short-lived roots: two hundred threads, one after the other, a region each.
// run: threads=2
// expect: parallel_begin=200 parallel_end=200 thread_begin>=200
#include <pthread.h>

#include "../check.h"

static int threads;

static void *root(void *unused) {
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    threads++;
  }
  return unused;
}

int main(void) {
  for (int i = 0; i < 200; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, root, NULL);
    pthread_join(thread, NULL);
  }
  return finish("many_roots", threads == 400);
}
