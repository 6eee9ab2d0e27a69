// final and mergeable.
// run: threads=4
// expect: task_create:explicit>=10
#include <omp.h>

#include "../check.h"

int main(void) {
  int final = 0;
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
  }
  return finish("task_final", final == 10);
}
