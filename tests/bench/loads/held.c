/* Two threads hand locks on: each has one of three and takes the next, which the other one gives back
 * only when it has got the one behind that. So they take turns, and every lock that is asked for is held. */
#include "load.h"

enum { LOCKS = 3 };

static omp_lock_t locks[LOCKS];

static void hand_on(int own, long times)
{
    omp_set_lock(&locks[own]);
#pragma omp barrier
    for (long i = 0; i < times; i++) {
        int next = (own + 1) % LOCKS;
        omp_set_lock(&locks[next]);
        omp_unset_lock(&locks[own]);
        own = next;
    }
    omp_unset_lock(&locks[own]);
}

static void body(long iterations)
{
    for (int i = 0; i < LOCKS; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(2)
    hand_on(omp_get_thread_num() ? LOCKS - 1 : 0, iterations);
    for (int i = 0; i < LOCKS; i++)
        omp_destroy_lock(&locks[i]);
}
