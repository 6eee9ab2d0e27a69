// The primary thread calls exit() inside a region: no finalize comes.
// run: threads=4
// expect: parallel_begin=1 parallel_end=0 implicit_task:implicit.begin>=1
#include <omp.h>
#include <stdlib.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) exit(finish("exit_in_region", 1));
#pragma omp barrier
  }
  return 1;
}
