// An ordered loop: the ordered region is a mutex that every iteration takes in turn.
// run: threads=4
// expect: mutex_acquire:ordered=24 mutex_acquired:ordered=24 mutex_released:ordered=24
#include "../check.h"

int main(void) {
  int next = 0, in_order = 1;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 24; i++) {
#pragma omp ordered
    {
      in_order &= next == i;
      next++;
    }
  }
  return finish("for_ordered", in_order && next == 24);
}
