/* Fibonacci with a task for every call: most tasks add two numbers, and making one costs far more.
 * Cured: below a cut-off the function calls itself.
 */
#include <omp.h>
#include <stdio.h>

#ifdef CURED
enum { CUT_OFF = 18 };
#else
enum { CUT_OFF = 2 };
#endif

static long fib(int n)
{
    long left, right;
    if (n < 2)
        return n;
    if (n < CUT_OFF)
        return fib(n - 1) + fib(n - 2);
#pragma omp task shared(left)
    left = fib(n - 1);
    right = fib(n - 2);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    long result = 0;
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    result = fib(24);
    printf("%ld, %.0f ms\n", result, 1e3 * (omp_get_wtime() - begin));
    return 0;
}
