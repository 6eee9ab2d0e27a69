// Polls: tests of requests and probes that fail a known number of times, several functions in turn, and some that succeed. The
// recording has every one of them, and few slices.
#include <mpi.h>
#include <stdio.h>

enum { POLLS = 2000, REQUESTS = 4 };

static long tests, probes, any, all, some, status_calls;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, in[REQUESTS], out[REQUESTS] = {0}, flag, index, complete, indices[REQUESTS], failed = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1;
    MPI_Request requests[REQUESTS];
    for (int at = 0; at < REQUESTS; at++)
        MPI_Irecv(&in[at], 1, MPI_INT, other, at, MPI_COMM_WORLD, &requests[at]);
    // Nothing was sent so far.
    for (int at = 0; at < POLLS; at++, tests++) {
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        failed |= flag;
    }
    for (int at = 0; at < POLLS; at++) {
        if (at % (REQUESTS + 1) == REQUESTS) {
            MPI_Iprobe(other, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            probes++;
        } else {
            MPI_Test(&requests[at % (REQUESTS + 1)], &flag, MPI_STATUS_IGNORE);
            tests++;
        }
        failed |= flag;
    }
    for (int at = 0; at < POLLS; at++) {
        MPI_Testany(REQUESTS, requests, &index, &flag, MPI_STATUS_IGNORE);
        failed |= flag;
        any++;
    }
    for (int at = 0; at < POLLS; at++) {
        MPI_Testall(REQUESTS, requests, &flag, MPI_STATUSES_IGNORE);
        failed |= flag;
        all++;
    }
    for (int at = 0; at < POLLS; at++) {
        MPI_Testsome(REQUESTS, requests, &complete, indices, MPI_STATUSES_IGNORE);
        failed |= complete;
        some++;
    }
    for (int at = 0; at < POLLS; at++) {
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        failed |= flag;
        status_calls++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int at = 0; at < REQUESTS; at++)
        MPI_Send(&out[at], 1, MPI_INT, other, at, MPI_COMM_WORLD);
    // Each way to see one of them succeed.
    do {
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        tests++;
    } while (!flag);
    do {
        MPI_Testany(REQUESTS, requests, &index, &flag, MPI_STATUS_IGNORE);
        any++;
    } while (!flag);
    do {
        MPI_Testsome(REQUESTS, requests, &complete, indices, MPI_STATUSES_IGNORE);
        some++;
    } while (complete == 0);
    do {
        MPI_Testall(REQUESTS, requests, &flag, MPI_STATUSES_IGNORE);
        all++;
    } while (!flag);
    MPI_Finalize();
    printf("rank %d: calls of MPI_Init: 1\n", rank);
    printf("rank %d: calls of MPI_Irecv: %d\n", rank, REQUESTS);
    printf("rank %d: calls of MPI_Send: %d\n", rank, REQUESTS);
    printf("rank %d: calls of MPI_Barrier: 1\n", rank);
    printf("rank %d: calls of MPI_Test: %ld\n", rank, tests);
    printf("rank %d: calls of MPI_Iprobe: %ld\n", rank, probes);
    printf("rank %d: calls of MPI_Testany: %ld\n", rank, any);
    printf("rank %d: calls of MPI_Testall: %ld\n", rank, all);
    printf("rank %d: calls of MPI_Testsome: %ld\n", rank, some);
    printf("rank %d: calls of MPI_Request_get_status: %ld\n", rank, status_calls);
    printf("rank %d: calls of MPI_Finalize: 1\n", rank);
    printf("rank %d: sent: %d messages, %d bytes\n", rank, REQUESTS, 4 * REQUESTS);
    printf("rank %d: received: %d messages, %d bytes\n", rank, REQUESTS, 4 * REQUESTS);
    return failed;
}
