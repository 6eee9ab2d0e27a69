/* A load takes one argument, how often it does its thing, and prints the
 * nanoseconds that took and the most memory that the process had, in KiB: BODY
 * runs once small to start the threads and warm the caches, then measured. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static void body(long iterations);

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
    long iterations = argc > 1 ? atol(argv[1]) : 0;
    if (iterations <= 0) {
        fprintf(stderr, "usage: %s ITERATIONS\n", argv[0]);
        return 2;
    }
    body(1 + iterations / 100);
    long long start = now_ns();
    body(iterations);
    long long took = now_ns() - start;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%lld %ld\n", took, used.ru_maxrss);
    return 0;
}
