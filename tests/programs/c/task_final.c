// final, mergeable and priority.
// run: threads=4 env=OMP_MAX_TASK_PRIORITY=10
// expect: task_create:explicit>=20
#include <omp.h>

#include "../check.h"

int main(void) {
  int final = 0, others = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task final(1) mergeable shared(final)
    {
#pragma omp task mergeable shared(final)
      {
#pragma omp atomic
        final += omp_in_final();
      }
    }
#pragma omp task priority(i) shared(others)
    {
#pragma omp atomic
      others++;
    }
  }
  return finish("task_final", final == 10 && others == 10);
}
