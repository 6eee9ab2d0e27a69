/* MPI + OpenMP: a rod of heat in shares, one for each rank; each rank's share is computed by its
 * threads, and neighbours exchange their rims in every step. Rank 0 has the largest share on purpose:
 * in the trace the others wait for it, outside of all parallel regions.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 400000, STEPS = 50 };

int main(int argc, char **argv)
{
    int rank, ranks, thread_support;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_support);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int size = rank == 0 ? 3 * SIZE : SIZE;
    double *now = calloc(size + 2, sizeof *now), *next = calloc(size + 2, sizeof *next);
    if (rank == 0)
        now[0] = next[0] = 100;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

    double sum = 0, all = 0;
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[size + 1], 1, MPI_DOUBLE, right, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&now[size], 1, MPI_DOUBLE, right, 1, &now[0], 1, MPI_DOUBLE, left, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static)
        for (int i = 1; i <= size; i++)
            next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        double *old = now;
        now = next;
        next = old;
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= size; i++)
        sum += now[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks: %.3f\n", ranks, all);
    free(now);
    free(next);
    return MPI_Finalize();
}
