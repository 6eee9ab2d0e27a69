// Two ranks that make communicators of several kinds, with names, cancel a request, and start persistent ones. With the argument
// `paused` the recording is paused while the request is cancelled.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, data = 7, in, cancelled;
    MPI_Comm reversed, copy, alone, between;
    MPI_Request request, both[2];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank, is_paused = argc > 1 && strcmp(argv[1], "paused") == 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_set_name(reversed, "ranks in the reverse order");
    MPI_Comm_idup(reversed, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(reversed);
    MPI_Barrier(copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, other, 5, &between);
    MPI_Sendrecv(&data, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, between, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, other, 99, MPI_COMM_WORLD, &request);
    if (is_paused) MPI_Pcontrol(0);
    MPI_Cancel(&request);
    if (is_paused) MPI_Pcontrol(1);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Recv_init(&in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(&data, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &both[1]);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    printf("rank %d: calls of MPI_Comm_idup: 1\nrank %d: cancelled: %d\n", rank, rank, cancelled);
    MPI_Finalize();
    return 0;
}
