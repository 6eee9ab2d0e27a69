// masked with and without a filter, and master, its old name.
// run: threads=4
// expect: masked.begin=3 masked.end=3
#include <omp.h>

#include "../check.h"

int main(void) {
  int primary = 0, third = 0, old = 0;
#pragma omp parallel
  {
#pragma omp masked
    primary++;
#pragma omp masked filter(2)
    third += omp_get_thread_num();
#pragma omp master
    old++;
  }
  return finish("masked", primary == 1 && third == 2 && old == 1);
}
