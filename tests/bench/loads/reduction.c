/* A static loop of a few iterations with a reduction and its barrier, again and again. */
#include "load.h"

static volatile long result;

static void body(long iterations)
{
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
        static long sum;
#pragma omp for schedule(static) reduction(+ : sum)
        for (int j = 0; j < 64; j++)
            sum += i + j;
#pragma omp single
        result = sum;
    }
}
