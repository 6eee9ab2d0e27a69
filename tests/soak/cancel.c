// What is cancelled: loops, sections, groups of tasks, whole regions. Loops are static ones: what a
// cancelled loop of another schedule leaves behind makes LLVM's runtime fail at later loops.
#include <omp.h>

#include "soak.h"

void cancelled_loop(dice d, int depth) {
  int when = below(&d, 30), threads = 1 + below(&d, 4);
  (void)depth;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < 30; i++) {
#pragma omp cancellation point for
    leaf(branch(d, i));
    if (i == when) {
#pragma omp cancel for
    }
  }
}

void cancelled_sections(dice d, int depth) {
  int yes = below(&d, 2), threads = 1 + below(&d, 4);
  (void)depth;
#pragma omp parallel sections num_threads(threads)
  {
    leaf(branch(d, 1));
#pragma omp section
    {
#pragma omp cancel sections if (yes)
      leaf(branch(d, 2));
    }
#pragma omp section
    {
#pragma omp cancellation point sections
      leaf(branch(d, 3));
    }
  }
}

void cancelled_taskgroup(dice d, int depth) {
  int tasks = 1 + below(&d, 8), who = below(&d, 8);
  (void)depth;
#pragma omp taskgroup
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    {
#pragma omp cancellation point taskgroup
      leaf(branch(d, i));
      if (i == who) {
#pragma omp cancel taskgroup
      }
    }
  }
}

void cancelled_region(dice d, int depth) {
  int threads = 1 + below(&d, 3), who = below(&d, 3), when = below(&d, 6);
  (void)depth;
#pragma omp parallel num_threads(threads)
  {
    for (int i = 0; i < 5; i++) {
      leaf(branch(d, i));
      if (i == when && omp_get_thread_num() == who) {
#pragma omp cancel parallel
      }
#pragma omp cancellation point parallel
    }
    // A thread that was cancelled waits for the others at a barrier, which they must come to as well.
#pragma omp barrier
  }
}
