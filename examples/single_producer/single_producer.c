/* One thread makes a task for every item, the others take them away faster than it makes them. Cured:
 * taskloop, with enough items in a task that making it does not matter.
 */
#include <omp.h>
#include <stdio.h>

enum { ITEMS = 30000 };

static double results[ITEMS];

static void work(int item)
{
    for (int n = 1; n < 50; n++)
        results[item] += 1.0 / (n + item);
}

int main(void)
{
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
#ifdef CURED
#pragma omp taskloop grainsize(500)
    for (int item = 0; item < ITEMS; item++)
        work(item);
#else
    for (int item = 0; item < ITEMS; item++) {
#pragma omp task
        work(item);
    }
#endif
    printf("%.6f, %.0f ms\n", results[ITEMS - 1], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
