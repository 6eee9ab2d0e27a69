// Regions nested to three levels, each of two threads: 1 + 2 + 4 regions.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=3 env=OMP_NUM_THREADS=2,2,2
// expect: parallel_begin=7 parallel_end=7 implicit_task:implicit.begin=14 implicit_task:implicit.end=14
#include <omp.h>

#include "../check.h"

int main(void) {
  int leaves = 0;
#pragma omp parallel shared(leaves)
#pragma omp parallel shared(leaves)
#pragma omp parallel shared(leaves)
  {
    if (omp_get_level() == 3) {
#pragma omp atomic
      leaves++;
    }
  }
  return finish("nested", leaves == 8);
}
