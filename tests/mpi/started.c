// Persistent requests that are started again and again, with many calls between the start and the wait. Prints its own numbers.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 40, BETWEEN = 20, COUNT = 10 };

int main(int argc, char **argv) {
    int rank, flag, data[COUNT] = {0}, in[COUNT];
    MPI_Request both[2], unused;
    MPI_Init(&argc, &argv);
    // With an argument the recording begins here.
    if (argc > 1)
        MPI_Pcontrol(1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1;
    MPI_Recv_init(in, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(data, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD, &both[1]);
    // It is freed before it is ever started.
    MPI_Send_init(data, COUNT, MPI_INT, other, 7, MPI_COMM_WORLD, &unused);
    MPI_Request_free(&unused);
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 2) {
            MPI_Startall(2, both);
        } else {
            MPI_Start(&both[0]);
            MPI_Start(&both[1]);
        }
        for (int call = 0; call < BETWEEN; call++)
            MPI_Sendrecv(data, 1, MPI_INT, other, 2, &flag, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    // Nothing is active: it returns at once.
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    int messages = ROUNDS * (1 + BETWEEN), bytes = ROUNDS * (4 * COUNT + 4 * BETWEEN);
    printf("rank %d: sent: %d messages, %d bytes\n", rank, messages, bytes);
    printf("rank %d: received: %d messages, %d bytes\n", rank, messages, bytes);
    printf("rank %d is complete\n", rank);
    MPI_Finalize();
    return 0;
}
