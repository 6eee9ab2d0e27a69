// Calls functions of MPI 4 where the library has them, and older ones where it has not, as a program does that is built once for several
// libraries: each is a weak reference. Prints its own numbers.
#include <mpi.h>
#include <stdio.h>

int MPI_Send_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
int MPI_Recv_c(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int MPI_Allreduce_init(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *);
#pragma weak MPI_Send_c
#pragma weak MPI_Recv_c
#pragma weak MPI_Allreduce_init

enum { ROUNDS = 30 };

int main(int argc, char **argv) {
    int rank, data[10] = {0}, in[20], sum;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1, is_later = MPI_Send_c && MPI_Recv_c && MPI_Allreduce_init;
    for (int round = 0; round < ROUNDS; round++) {
        for (int turn = 0; turn < 2; turn++) {
            if (turn != rank % 2 && is_later)
                MPI_Recv_c(in, 20, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (turn != rank % 2)
                MPI_Recv(in, 20, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (is_later)
                MPI_Send_c(data, 10, MPI_INT, other, 1, MPI_COMM_WORLD);
            else
                MPI_Send(data, 10, MPI_INT, other, 1, MPI_COMM_WORLD);
        }
    }
    if (is_later) {
        MPI_Allreduce_init(data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    const char *end = is_later ? "_c" : "";
    printf("rank %d: calls of MPI_Init: 1\nrank %d: calls of MPI_Finalize: 1\n", rank, rank);
    printf("rank %d: calls of MPI_Send%s: %d\nrank %d: calls of MPI_Recv%s: %d\n", rank, end, ROUNDS, rank, end, ROUNDS);
    if (is_later) {
        printf("rank %d: calls of MPI_Allreduce_init: 1\nrank %d: calls of MPI_Request_free: 1\n", rank, rank);
        printf("rank %d: calls of MPI_Start: %d\nrank %d: calls of MPI_Wait: %d\n", rank, ROUNDS, rank, ROUNDS);
    }
    printf("rank %d: sent: %d messages, %d bytes\n", rank, ROUNDS, 40 * ROUNDS);
    printf("rank %d: received: %d messages, %d bytes\n", rank, ROUNDS, 40 * ROUNDS);
    MPI_Finalize();
    return 0;
}
