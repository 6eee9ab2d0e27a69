// ompt_control from ompttrace.h: two regions are recorded of five, with a tool. C99 and C++.
// run: threads=2
#include <ompttrace.h>

#include "../programs/check.h"

static int threads;

static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

int main(void) {
  region();
  ompt_control(ompttrace_pause, 7);
  region();
  region();
  ompt_control(ompttrace_start, 7);
  region();
  ompt_control(ompttrace_flush, 7);
  ompt_control(77, 7);
  ompt_control(ompttrace_end, 7);
  region();
  return finish("by_header", threads == 10);
}
