// Calls MPI a known number of times, and prints what a recording of it must say: for each function its calls, and what
// was sent and received by the process. Every number is counted where the call is made.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, MOST = 64 };

static struct {
    const char *name;
    long calls;
} calls[MOST];

static long sent, sent_bytes, received, received_bytes;

// Counts a call, and makes it.
#define CALL(function, ...) (count(#function), function(__VA_ARGS__))

static void count(const char *name) {
    int at = 0;
    while (calls[at].name && strcmp(calls[at].name, name))
        at++;
    calls[at].name = name;
    calls[at].calls++;
}

static void sends(long bytes) {
    sent++;
    sent_bytes += bytes;
}

static void receives(long bytes) {
    received++;
    received_bytes += bytes;
}

static void point_to_point(int rank, int other, MPI_Comm comm) {
    double data[100] = {0}, in[100];
    int numbers[7] = {0};
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        // Lengths that differ by rank and round; the receiver's buffer is larger.
        int length = 1 + (rank + round) % 50, from = 1 + (other + round) % 50;
        if (rank % 2 == 0) {
            CALL(MPI_Send, data, length, MPI_DOUBLE, other, 7, comm);
            CALL(MPI_Recv, in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        } else {
            CALL(MPI_Recv, in, 100, MPI_DOUBLE, other, 7, comm, &status);
            CALL(MPI_Send, data, length, MPI_DOUBLE, other, 8, comm);
        }
        sends(8L * length);
        receives(8L * from);
        CALL(MPI_Sendrecv, data, length, MPI_DOUBLE, other, 9, in, 100, MPI_DOUBLE, other, 9, comm, MPI_STATUS_IGNORE);
        sends(8L * length);
        receives(8L * from);
        // Nobody is there: no message.
        CALL(MPI_Send, numbers, 7, MPI_INT, MPI_PROC_NULL, 1, comm);
        CALL(MPI_Recv, numbers, 7, MPI_INT, MPI_PROC_NULL, 1, comm, &status);
    }
}

static void nonblocking(int other, MPI_Comm comm) {
    int data[10] = {0}, in[10];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2];
        CALL(MPI_Irecv, in, 10, MPI_INT, other, 3, comm, &requests[0]);
        CALL(MPI_Isend, data, 10, MPI_INT, other, 3, comm, &requests[1]);
        sends(40);
        receives(40);
        if (round % 2) {
            CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
        } else {
            CALL(MPI_Wait, &requests[1], MPI_STATUS_IGNORE);
            CALL(MPI_Wait, &requests[0], MPI_STATUS_IGNORE);
        }
    }
}

static void collective(MPI_Comm comm, int size) {
    int *all = malloc(4 * sizeof(int) * size), own[4] = {1, 2, 3, 4}, sum[4];
    for (int round = 0; round < ROUNDS; round++) {
        CALL(MPI_Barrier, comm);
        CALL(MPI_Bcast, own, 4, MPI_INT, round % size, comm);
        CALL(MPI_Allreduce, own, sum, 4, MPI_INT, MPI_SUM, comm);
        CALL(MPI_Allreduce, MPI_IN_PLACE, sum, 4, MPI_INT, MPI_SUM, comm);
        CALL(MPI_Gather, own, 4, MPI_INT, all, 4, MPI_INT, 0, comm);
        CALL(MPI_Reduce, own, sum, 4, MPI_INT, MPI_MAX, 0, comm);
    }
    free(all);
}

// Calls MPI inside of MPI: only the call around it counts.
static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    int size, more = 1;
    MPI_Type_size(*type, &size);
    MPI_Pack_size(more, *type, MPI_COMM_SELF, &size);
    for (int at = 0; at < *length; at++)
        ((int *)inout)[at] += ((int *)in)[at];
}

int main(int argc, char **argv) {
    CALL(MPI_Init, &argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = rank ^ 1;
    if (size % 2) {
        fprintf(stderr, "an even number of ranks\n");
        CALL(MPI_Abort, MPI_COMM_WORLD, 3);
    }
    MPI_Comm half, copy;
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &copy);
    CALL(MPI_Comm_split, MPI_COMM_WORLD, rank / 2, rank, &half);
    point_to_point(rank, other, copy);
    nonblocking(other, MPI_COMM_WORLD);
    collective(MPI_COMM_WORLD, size);
    MPI_Op op;
    CALL(MPI_Op_create, add, 1, &op);
    int one = 1, sum;
    CALL(MPI_Allreduce, &one, &sum, 1, MPI_INT, op, half);
    CALL(MPI_Op_free, &op);
    CALL(MPI_Comm_free, &half);
    CALL(MPI_Comm_free, &copy);
    CALL(MPI_Finalize);
    for (int at = 0; calls[at].name; at++)
        printf("rank %d: calls of %s: %ld\n", rank, calls[at].name, calls[at].calls);
    printf("rank %d: sent: %ld messages, %ld bytes\n", rank, sent, sent_bytes);
    printf("rank %d: received: %ld messages, %ld bytes\n", rank, received, received_bytes);
    return sum == 2 ? 0 : 1;
}
