/* A sum in a critical section: every thread waits for all others, once for each term. Cured: each
 * thread has a sum of its own (reduction), and they are added up once.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { TERMS = 400000 };

/* Cheap enough that the critical section is most of it. */
static double term(int i)
{
    double value = 0;
    for (int n = 1; n <= 10; n++)
        value += 1.0 / ((double)i * n + 1);
    return value;
}

int main(void)
{
    double sum = 0, begin = omp_get_wtime();
#ifdef CURED
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < TERMS; i++)
        sum += term(i);
#else
#pragma omp parallel for
    for (int i = 0; i < TERMS; i++) {
#pragma omp critical(add)
        sum += term(i);
    }
#endif
    printf("%.6f, %.0f ms\n", sum, 1e3 * (omp_get_wtime() - begin));
    return 0;
}
