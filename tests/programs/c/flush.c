// flush: of everything and with memory orders.
// run: threads=2
// expect: flush>=6
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp flush
#pragma omp flush acq_rel
#pragma omp flush release
#pragma omp atomic
    done++;
  }
  return finish("flush", done == 2);
}
