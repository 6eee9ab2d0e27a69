// Four ranks that split the world: by odd and even ranks, by the rows and the columns of a square, and into both groups of an
// intercommunicator. Columns and odd and even ranks have the same members. Prints the numbers of messages that it sends.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 5 };

static int sent;

// Each rank sends to the next one and receives from the one before.
static void around(MPI_Comm of, int tag) {
    int rank, size, out = tag, in;
    MPI_Comm_rank(of, &rank);
    MPI_Comm_size(of, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++, sent++)
        MPI_Sendrecv(&out, 1, MPI_INT, to, tag, &in, 1, MPI_INT, from, tag, of, MPI_STATUS_IGNORE);
}

static void together(MPI_Comm of) {
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, of);
    MPI_Bcast(&sum, 1, MPI_INT, 1, of);
}

int main(int argc, char **argv) {
    int rank, out = 3, in;
    MPI_Comm half, row, column, copy, between, merged;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // The half of the odd ranks has another order than the world.
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 2 ? -rank : rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 2 ? -rank : rank, &column);
    MPI_Comm_dup(row, &copy);
    MPI_Comm_set_name(row, "row");
    // Both groups send with one tag, to all ranks of the other one.
    MPI_Intercomm_create(row, 0, MPI_COMM_WORLD, rank / 2 ? 0 : 2, 9, &between);
    MPI_Intercomm_merge(between, rank / 2, &merged);
    MPI_Comm all[] = {half, row, column, copy, merged};
    for (int at = 0; at < 5; at++) {
        around(all[at], 7);
        together(all[at]);
    }
    for (int to = 0; to < 2; to++, sent++) {
        MPI_Request request;
        MPI_Isend(&out, 1, MPI_INT, to, 7, between, &request);
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, between, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(between);
    printf("sent: %d\n", sent);
    MPI_Finalize();
    return 0;
}
