// A thousand nested regions whose threads the runtime may choose anew each time: a few logical threads.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2 env=OMP_DYNAMIC=true
// expect: parallel_begin=1001 parallel_end=1001
#include <omp.h>

#include "../check.h"

int main(void) {
  int regions = 0;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static)
  for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp masked
#pragma omp atomic
      regions++;
    }
  }
  return finish("nested_thousand", regions == 1000);
}
