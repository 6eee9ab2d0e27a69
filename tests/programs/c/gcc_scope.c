// scope, which clang 19 cannot compile; GCC needs nothing from the runtime for it but a barrier.
// run: threads=4
// build: compiler=gcc
// expect: parallel_begin=1 implicit_task:implicit.begin=4
#include "../check.h"

int main(void) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp scope
    {
      int mine = 1;
#pragma omp atomic
      sum += mine;
    }
#pragma omp scope nowait
    {
#pragma omp atomic
      sum += 1;
    }
  }
  return finish("gcc_scope", sum == 8);
}
