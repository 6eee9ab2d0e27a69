/* One ordered loop, whose iterations are nothing but their turn. */
#include "load.h"

static volatile long last;

static void body(long iterations)
{
#pragma omp parallel for ordered schedule(static)
    for (long i = 0; i < iterations; i++) {
#pragma omp ordered
        last = i;
    }
}
