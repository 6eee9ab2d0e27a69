// Two regions, then the command that starts recording, then three.
// run: threads=2
#include <omp.h>

#include "../programs/check.h"

__attribute__((noinline)) static int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}

int main(void) {
  int threads = region() + region();
  int answer = omp_control_tool(omp_control_tool_start, 0, NULL);
  printf("start gave %d\n", answer);
  for (int i = 0; i < 3; i++) threads += region();
  return finish("starts_late", threads == 10);
}
