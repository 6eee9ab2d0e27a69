// A parallel region that one thread cancels and the others leave at a cancellation point.
// run: threads=4 env=OMP_CANCELLATION=true
// expect: cancel:parallel>=1 parallel_begin=1 parallel_end=1
#include <omp.h>

#include "../check.h"

int main(void) {
  int past = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
    past++;
  }
  return finish("cancel_parallel", past == 0);
}
