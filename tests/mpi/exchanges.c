// Two ranks that receive whatever comes: a message that is not theirs would end them with another status.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20 };

int main(int argc, char **argv) {
    int rank, size, flag, before = 0;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (handler != MPI_ERRORS_ARE_FATAL || (flag && rank > 0))
        exit(4);
    for (int round = 0; round < ROUNDS; round++) {
        int data = 100 * round, got = -1;
        MPI_Status status;
        if (rank == 1)
            MPI_Send(&data, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        else if (rank == 0) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            before += status.MPI_TAG == round && got == data;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0 && before != ROUNDS)
        exit(5);
    printf("rank %d of %d is complete\n", rank, size);
    MPI_Finalize();
    return 0;
}
