// One task with four dependences, all on variables that have symbols but the last.
// run: threads=2
// expect: dependences=1
#include <stdlib.h>

#include "../programs/check.h"

int first, second, third[8];

int main(void) {
  int done = 0, *fourth = malloc(sizeof *fourth);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(done) depend(in : first) depend(inout : second, third[2]) depend(in : *fourth)
    done = 1;
  }
  printf("%p\n", (void *)fourth);
  free(fourth);
  return finish("dependences", done);
}
