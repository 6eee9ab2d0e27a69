/* Every thread sets and unsets a lock of its own: no contention, so that the
 * tool is measured and not the cache line of a lock. */
#include "load.h"

static void body(long iterations)
{
#pragma omp parallel
    {
        omp_lock_t lock;
        omp_init_lock(&lock);
        for (long i = 0; i < iterations; i++) {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
        omp_destroy_lock(&lock);
    }
}
