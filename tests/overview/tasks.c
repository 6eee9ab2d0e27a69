// Tasks that last from nothing to some microseconds: a trace becomes ever larger with its resolution. On one thread, since two wait for
// each other as long as other programs have their cores.
// run: threads=1
#include "../programs/check.h"

enum { TASKS = 40000 };

int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
    {
      for (volatile int spun = 0; spun < i % 97 * 40; spun++)
        ;
#pragma omp atomic
      sum++;
    }
  }
  return finish("tasks", sum == TASKS);
}
