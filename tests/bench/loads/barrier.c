/* Nothing but explicit barriers. */
#include "load.h"

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
#pragma omp barrier
    }
}
