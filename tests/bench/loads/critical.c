/* Every thread enters one critical section again and again. */
#include "load.h"

static volatile long shared_sum;

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
#pragma omp critical
        shared_sum = shared_sum + i;
    }
}
