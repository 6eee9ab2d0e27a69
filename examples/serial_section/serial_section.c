/* Two parallel loops with one between them that was forgotten: only one thread works there. Cured:
 * it is a parallel loop as well.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { SIZE = 200000, STEPS = 20 };

static double field[SIZE], smooth[SIZE], size[SIZE];

static void step(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 1; i < SIZE - 1; i++)
        smooth[i] = (field[i - 1] + field[i] + field[i + 1]) / 3;
#ifdef CURED
#pragma omp parallel for schedule(static)
#endif
    for (int i = 0; i < SIZE; i++)
        size[i] = pow(fabs(smooth[i]), 1.5);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++)
        field[i] = smooth[i] + 0.1 * sin(size[i]);
}

int main(void)
{
    double begin = omp_get_wtime();
    for (int i = 0; i < SIZE; i++)
        field[i] = i % 100;
    for (int i = 0; i < STEPS; i++)
        step();
    printf("%.6f, %.0f ms\n", field[SIZE / 2], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
