// The primary thread of a region calls exit() while the others begin a nested region with tasks now and
// then: LLVM's runtime crashes where one does after the library's destructor, which is seldom by itself.
// run: threads=3 exit=3 env=OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "../programs/check.h"

static void task(void) {
#pragma omp task
  usleep(1);
}

static void nested(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++) task();
}

int main(void) {
#pragma omp parallel
  {
    nested();
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      finish("exits_in_nests", 1);
      exit(3);
    }
    for (;;) {
      usleep(3000);
      nested();
    }
  }
  return 1;
}
