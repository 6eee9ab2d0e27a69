/* A static loop of a few iterations with its barrier, again and again. */
#include "load.h"

static volatile long cells[64];

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
#pragma omp for schedule(static)
        for (int j = 0; j < 64; j++)
            cells[j] = i;
    }
}
