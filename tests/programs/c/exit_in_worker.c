// A worker calls exit() inside a region while the others work on.
// run: threads=4 exit=3
// expect: parallel_begin=1 parallel_end=0 mutex_acquired>=1
#include <omp.h>
#include <stdlib.h>

#include "../check.h"

int main(void) {
  long volatile work = 0;
#pragma omp parallel
  {
#pragma omp critical
    work++;
#pragma omp barrier
    if (omp_get_thread_num() == 3) {
      finish("exit_in_worker", 1);
      exit(3);
    }
    for (;;) {
#pragma omp critical
      work++;
    }
  }
  return 1;
}
