// abort() in a worker: SIGABRT, no finalize.
// run: threads=2 signal=6
// expect: parallel_begin=1 parallel_end=0 finalize=0
#include <omp.h>
#include <stdlib.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      finish("aborted", 1);
      abort();
    }
#pragma omp barrier
  }
  return 1;
}
