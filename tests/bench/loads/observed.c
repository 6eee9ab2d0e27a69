/* One thing again and again on the test runtime with the Sun Collector API (tests/runtimes/collector.c):
 * explicit barriers, masked, or regions, as OBSERVED says. */
#include "load.h"

#include "../../runtimes/collector.h"

static volatile long last;

enum { barrier, masked, parallel };

static void region(void *unused)
{
    (void)unused;
    last = 1;
}

static void repeat(void *times)
{
    for (long i = 0; i < *(long *)times; i++) {
        if (OBSERVED == barrier)
            rt_barrier();
        else if (OBSERVED == parallel)
            rt_parallel(1, region, NULL);
        else if (rt_master())
            rt_end_master();
    }
}

static void body(long iterations)
{
    if (OBSERVED == parallel)
        repeat(&iterations);
    else
        rt_parallel(1, repeat, &iterations);
}
