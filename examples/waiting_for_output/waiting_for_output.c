/* One thread writes the result of each step, and all others wait until it is written. Cured: writing
 * is a task, and the next step goes on meanwhile in another buffer.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { SIZE = 40000, STEPS = 20 };

static double state[SIZE], copies[2][SIZE];

/* Stands for a slow disk: it takes time, but no processor. */
static void write_out(const double *values)
{
    struct timespec time = {0, 5000000};
    if (values[0] >= 0)
        nanosleep(&time, NULL);
}

static void compute(double *copy)
{
#pragma omp taskloop grainsize(1000) shared(state)
    for (int i = 0; i < SIZE; i++)
        copy[i] = state[i] = fabs(sin(state[i] + i)) + sqrt(state[i]);
}

int main(void)
{
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < STEPS; step++) {
        double *copy = copies[step % 2];
#ifdef CURED
        /* The buffer is free when what was written from it two steps ago is written. */
#pragma omp taskwait depend(out : copy[0])
        compute(copy);
#pragma omp task depend(out : copy[0]) firstprivate(copy)
        write_out(copy);
#else
        compute(copy);
        write_out(copy);
#endif
    }
    printf("%.6f, %.0f ms\n", state[1], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
