/* A dynamic loop of a few chunks with its barrier, again and again: each chunk is an event. */
#include "load.h"

static volatile long cells[64];

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
#pragma omp for schedule(dynamic, 4)
        for (int j = 0; j < 64; j++)
            cells[j] = i;
    }
}
