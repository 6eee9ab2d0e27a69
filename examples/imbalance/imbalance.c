/* Rows of a triangle: later ones cost more. schedule(static) gives each thread as many rows, and the
 * last thread the longest. Cured: a thread takes a few rows more whenever it is done.
 */
#include <omp.h>
#include <stdio.h>

#ifdef CURED
#define SCHEDULE schedule(dynamic, 16)
#else
#define SCHEDULE schedule(static)
#endif

enum { ROWS = 3000, STEPS = 20 };

static double row(int y)
{
    double sum = 0;
    for (int x = 1; x <= y; x++)
        sum += 1.0 / (x + y);
    return sum;
}

int main(void)
{
    static double sums[ROWS];
    double begin = omp_get_wtime();
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
#pragma omp for SCHEDULE
        for (int y = 0; y < ROWS; y++)
            sums[y] += row(y);
    }
    printf("%.6f, %.0f ms\n", sums[ROWS - 1], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
