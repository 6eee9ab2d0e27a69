/* Two loops that do not need each other, the first uneven one way and the second the other way: each
 * thread waits once in every step. Cured: `nowait` on the first, and the two even out.
 */
#include <omp.h>
#include <stdio.h>

#ifdef CURED
#define WAIT nowait
#else
#define WAIT
#endif

enum { ROWS = 1000, STEPS = 60 };

static double rising[ROWS], falling[ROWS];

static double work(int amount)
{
    double sum = 0;
    for (int x = 1; x <= amount; x++)
        sum += 1.0 / (x + amount);
    return sum;
}

int main(void)
{
    double begin = omp_get_wtime();
#pragma omp parallel
    for (int step = 0; step < STEPS; step++) {
#pragma omp for schedule(static) WAIT
        for (int y = 0; y < ROWS; y++)
            rising[y] += work(y);
#pragma omp for schedule(static)
        for (int y = 0; y < ROWS; y++)
            falling[y] += work(ROWS - y);
    }
    printf("%.6f, %.0f ms\n", rising[9] + falling[9], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
