// A group is cancelled, and then five tasks are to be made in it: libgomp refuses them.
// run: threads=2 env=OMP_CANCELLATION=true
// build: compiler=gcc
#include "../programs/check.h"

int main(void) {
  int ran = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
#pragma omp taskwait
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
      ran++;
    }
  }
  return finish("refused", ran == 0);
}
