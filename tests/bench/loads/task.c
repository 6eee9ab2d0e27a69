/* One thread makes empty tasks in batches and waits for each batch; the
 * others help. */
#include "load.h"

enum { BATCH = 64 };

static volatile long last;

static void body(long iterations)
{
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < iterations; i += BATCH) {
        for (long j = i; j < i + BATCH; j++) {
#pragma omp task firstprivate(j)
            last = j;
        }
#pragma omp taskwait
    }
}
