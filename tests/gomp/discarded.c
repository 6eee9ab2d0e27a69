// The first of 20 tasks that runs cancels its taskgroup: the others never begin. The other thread is kept
// away meanwhile.
// run: threads=2 env=OMP_CANCELLATION=true
// build: compiler=gcc
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  int ran = 0, done = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(ran)
      {
        ran++;
#pragma omp cancel taskgroup
      }
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE));
  }
  return finish("discarded", ran == 1);
}
