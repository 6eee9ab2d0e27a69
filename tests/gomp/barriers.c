// What GCC compiles to the same call: a barrier, and the ends of a loop and of a single.
// run: threads=2
#include <omp.h>

#include "../programs/check.h"

static int counts[100];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) {
      counts[i]++;
    }

#pragma omp single
    {
      counts[0]++;
    }

    counts[omp_get_thread_num()]++;

#pragma omp barrier
    counts[2 + omp_get_thread_num()]++;
  }
  return finish("barriers", counts[99] == 1);
}
