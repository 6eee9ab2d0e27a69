// Memory by omp_alloc and the allocate clause; no events, but calls into the runtime on all threads.
// run: threads=4
// expect: parallel_begin=1
#include <omp.h>

#include "../check.h"

int main(void) {
  int sum = 0, part = 3;
#pragma omp parallel private(part) allocate(omp_default_mem_alloc : part) reduction(+ : sum)
  {
    int *own = omp_alloc(sizeof *own, omp_default_mem_alloc);
    *own = part = 2;
    sum += *own;
    omp_free(own, omp_default_mem_alloc);
  }
  return finish("allocators", sum == 8 && part == 3);
}
