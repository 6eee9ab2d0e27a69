// Regions in such numbers that small buffers overflow many times, from a stack of its own depth each.
// run: threads=2
#define SOURCE __BASE_FILE__
#include "chain.h"

NOT_INLINED static void solve(void) {
  FUNCTION("solve");
#pragma omp parallel num_threads(2)
  nothing++;
  RETURN;
}

NOT_INLINED static void deeper(int depth) {
  FUNCTION("deeper");
  if (depth > 0) deeper(depth - 1);
  else solve();
  RETURN;
}

int main(void) {
  FUNCTION("main");
  for (int i = 0; i < 600; i++) deeper(i % 20);
  RETURN;
  return 0;
}
