// Two roots: pthreads that each run regions of their own while main waits.
// run: threads=2
// expect: parallel_begin=20 parallel_end=20 implicit_task:implicit.begin=40
#include <pthread.h>

#include "../check.h"

static int team_threads;

static void *root(void *unused) {
  for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      team_threads++;
    }
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, root, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return finish("two_roots", team_threads == 40);
}
