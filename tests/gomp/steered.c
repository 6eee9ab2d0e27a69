// Three regions, of which the second is paused.
// run: threads=4
#include "../programs/check.h"
#include "../../tracer/tool/include/ompttrace.h"

static int count;

static void region(void) {
#pragma omp parallel
#pragma omp critical
  count++;
}

int main(void) {
  region();
  ompt_control(2, 0);
  region();
  ompt_control(1, 0);
  region();
  return finish("steered", count == 12);
}
