// exit() from a function deep below main, after a region, with a handler that runs another region.
// run: threads=2 exit=5
#include <stdlib.h>

#include "../programs/check.h"

static int threads;

static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

static void handler(void) {
  region();
  finish("exits", threads == 4);
}

static void deep(int levels) {
  if (levels > 0) deep(levels - 1);
  exit(5);
}

int main(void) {
  atexit(handler);
  region();
  deep(10);
}
