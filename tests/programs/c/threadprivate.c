// threadprivate data, copied in and kept from region to region.
// run: threads=4
// expect: parallel_begin=2 implicit_task:implicit.begin=8
#include "../check.h"

static int mine = 5;
#pragma omp threadprivate(mine)

int main(void) {
  int sum = 0;
#pragma omp parallel copyin(mine)
  mine += 1;
#pragma omp parallel reduction(+ : sum)
  sum += mine;
  return finish("threadprivate", sum == 24);
}
