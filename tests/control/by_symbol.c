// The same with the plain symbols of a tool that is linked in, C's and Fortran's.
// run: threads=2
#include <stdint.h>

#include "../programs/check.h"

extern void ompt_control(uint64_t, uint64_t);
extern void ompt_control_(const uint64_t *, const uint64_t *);

static int threads;

static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

int main(void) {
  const uint64_t start = 1, end = 4, modifier = 7;
  region();
  ompt_control(2, modifier);
  region();
  region();
  ompt_control_(&start, &modifier);
  region();
  ompt_control(3, modifier);
  ompt_control(77, modifier);
  ompt_control_(&end, &modifier);
  region();
  return finish("by_symbol", threads == 10);
}
