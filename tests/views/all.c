// Something for every view: a loop with a barrier, a lock that is waited for, tasks.
// run: threads=2
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

static int stage, done;

static void wait_for(int wanted) {
  while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < wanted) usleep(100);
}

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 2; i++) usleep(1000 + 2000 * i);
    if (omp_get_thread_num() == 1) wait_for(1);
#pragma omp critical(guarded)
    {
      __atomic_store_n(&stage, 1, __ATOMIC_RELEASE);
      usleep(100000);
    }
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
      __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
    }
  }
  return finish("all", done == 10);
}
