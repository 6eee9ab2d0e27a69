/* A parallel loop that calls a library which is parallel too: four threads for every thread, on
 * cores that have work already, forked anew for every call. Cured: one level of parallelism
 * (omp_set_max_active_levels(1), the default, or OMP_MAX_ACTIVE_LEVELS=1).
 */
#include <omp.h>
#include <stdio.h>

enum { PARTS = 2000, SIZE = 4000 };

/* The library: it does not know who calls it. */
static double norm(int part)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 1; i <= SIZE; i++)
        sum += 1.0 / ((double)i * i + part);
    return sum;
}

int main(void)
{
    double sum = 0, begin = omp_get_wtime();
#ifdef CURED
    omp_set_max_active_levels(1);
#else
    omp_set_max_active_levels(2);
#endif
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int part = 0; part < PARTS; part++)
        sum += norm(part);
    printf("%.6f, %.0f ms\n", sum, 1e3 * (omp_get_wtime() - begin));
    return 0;
}
