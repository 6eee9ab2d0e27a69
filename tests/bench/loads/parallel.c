/* Nothing but parallel regions. */
#include "load.h"

static volatile long last[64 * 16];

static void body(long iterations)
{
    for (long i = 0; i < iterations; i++) {
#pragma omp parallel
        last[16 * (omp_get_thread_num() % 64)] = i;
    }
}
