/* Regions or tasks that are made at a depth of calls, for what their call stacks cost. KIND is
 * `parallel`, `nested` (the calls are made in a region) or `task`; DEPTH the calls below it. */
#include "load.h"

static volatile long last;

static void make(long iterations)
{
    for (long i = 0; i < iterations; i++) {
#ifdef KIND_task
#pragma omp task
        last = i;
#pragma omp taskwait
#else
#pragma omp parallel num_threads(1)
        last = i;
#endif
    }
}

/* What follows the call keeps it from being a jump. */
static __attribute__((noinline)) void deeper(int depth, long iterations)
{
    if (depth == 0)
        make(iterations);
    else
        deeper(depth - 1, iterations);
    last = depth;
}

static void body(long iterations)
{
#ifdef KIND_parallel
    deeper(DEPTH, iterations);
#else
#pragma omp parallel num_threads(1)
    deeper(DEPTH, iterations);
#endif
}
