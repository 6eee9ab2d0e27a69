/* Recursive tasks: computes fib(20), 21,891 calls in 21,890 tasks, as often as
 * the argument says. */
#include "load.h"

static long fib(int n)
{
    if (n < 2)
        return n;
    long one, two;
#pragma omp task shared(one)
    one = fib(n - 1);
#pragma omp task shared(two)
    two = fib(n - 2);
#pragma omp taskwait
    return one + two;
}

static volatile long result;

static void body(long iterations)
{
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < iterations; i++)
        result = fib(20);
}
