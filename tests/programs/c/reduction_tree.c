// A reduction that is asked to be a tree: the only way to `reduction` events on libomp.
// run: threads=4 env=KMP_FORCE_REDUCTION=tree
// expect: parallel_begin=1
#include "../check.h"

int main(void) {
  double a = 0, b = 0;
#pragma omp parallel for reduction(+ : a, b)
  for (int i = 0; i < 64; i++) {
    a += 1;
    b += 2;
  }
  return finish("reduction_tree", a == 64 && b == 128);
}
