/* Nothing but single constructs with their barriers. */
#include "load.h"

static volatile long last;

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
#pragma omp single
        last = i;
    }
}
