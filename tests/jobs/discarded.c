// Tasks of a group that is cancelled long after they were made, and before any of them ran.
// run: threads=2 env=OMP_CANCELLATION=true
#include "../programs/check.h"
#include <stdatomic.h>
#include <unistd.h>

static atomic_int begun, go, cancels;

static void wait_for(atomic_int *flag) {
  while (!atomic_load(flag))
    usleep(100);
}

int main(void) {
  int ran = 0, counted = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
      atomic_store(&begun, 1);
      wait_for(&go);
      atomic_store(&cancels, 1);
#pragma omp cancel taskgroup
    }
    wait_for(&begun);
    for (int i = 0; i < 40; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
      ran++;
    }
    // Buffers are full, and windows end.
    for (int i = 0; i < 2000; i++) {
#pragma omp critical
      counted++;
    }
    atomic_store(&go, 1);
    wait_for(&cancels);
    usleep(10000);
  }
  return finish("discarded", ran < 40 && counted == 2000);
}
