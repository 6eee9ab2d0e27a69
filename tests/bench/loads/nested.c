/* A region of two threads in which each thread opens regions of its own, which have one thread. */
#include "load.h"

static volatile long last[64 * 16];

static void body(long iterations)
{
    omp_set_max_active_levels(1);
#pragma omp parallel
    for (long i = 0; i < iterations; i++) {
        int slot = 16 * (omp_get_thread_num() % 64);
#pragma omp parallel
        last[slot] = i;
    }
}
