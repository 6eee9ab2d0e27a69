/* Work items of very different length, the longest at the end. schedule(dynamic, 1) hands them out
 * one by one and still one thread begins the longest when the other is about to be done. Cured: the
 * longest first.
 */
#include <omp.h>
#include <stdio.h>

enum { ITEMS = 40, UNIT = 40000 };

static double results[ITEMS];

/* The last item is as long as most others together. */
static int length(int n)
{
    return n == ITEMS - 1 ? 600 : n;
}

static void work(int n)
{
    for (int i = 1; i <= length(n) * UNIT; i++)
        results[n] += 1.0 / i;
}

int main(void)
{
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < ITEMS; i++) {
#ifdef CURED
        work(ITEMS - 1 - i);
#else
        work(i);
#endif
    }
    printf("%.6f, %.0f ms\n", results[ITEMS - 1], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
