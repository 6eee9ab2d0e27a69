// One thread never comes to a barrier: the program is ended by a signal of its own.
// run: threads=3 signal=14
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  alarm(2);
#pragma omp parallel
  {
    if (omp_get_thread_num() == 1) pause();
#pragma omp barrier
    usleep(1);
  }
  return finish("missing", 0);
}
