/* A long loop of short iterations, handed out one by one: fetching the next costs more than doing it.
 * Cured: schedule(guided), large chunks first and small ones at the end.
 */
#include <omp.h>
#include <stdio.h>

#ifdef CURED
#define SCHEDULE schedule(guided, 64)
#else
#define SCHEDULE schedule(dynamic, 1)
#endif

enum { ITEMS = 100000 };

int main(void)
{
    static double squares[ITEMS];
    double begin = omp_get_wtime();
    for (int step = 0; step < 3; step++) {
#pragma omp parallel
#pragma omp for SCHEDULE
        for (int i = 0; i < ITEMS; i++)
            for (int n = 1; n < 20; n++)
                squares[i] += 1.0 / (n + i);
    }
    printf("%.6f, %.0f ms\n", squares[ITEMS - 1], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
