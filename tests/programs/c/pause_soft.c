// omp_pause_resource_all(soft): threads go, the tool stays, the program goes on.
// run: threads=2
// expect: parallel_begin=2 parallel_end=2
#include <omp.h>

#include "../check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  omp_pause_resource_all(omp_pause_soft);
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return finish("pause_soft", threads == 4);
}
