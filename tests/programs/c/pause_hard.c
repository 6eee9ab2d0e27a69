// omp_pause_resource_all(hard): the runtime finalizes, and what follows may go untraced. Each region
// has a function of its own, for thread numbers that the compiler kept in main would be void.
// run: threads=2
// expect: parallel_begin>=1 parallel_end>=1 finalize>=1
#include <omp.h>

#include "../check.h"

__attribute__((noinline)) static int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    threads++;
  }
  return threads;
}

int main(void) {
  int threads = region();
  omp_pause_resource_all(omp_pause_hard);
  threads += region();
  return finish("pause_hard", threads == 4);
}
