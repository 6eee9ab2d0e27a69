// A loop that is cancelled at its tenth iteration.
// run: threads=4 env=OMP_CANCELLATION=true
// expect: cancel:loop>=1 parallel_begin=1
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100000; i++) {
#pragma omp cancellation point for
      if (i == 10) {
#pragma omp cancel for
      }
#pragma omp atomic
      done++;
    }
  }
  return finish("cancel_for", done < 100000);
}
