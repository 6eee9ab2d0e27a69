// Calls of MPI to oneself, for `cargo xtask bench mpi`: for each kind a line with its name and nanoseconds per turn, the least of
// some short rounds. With an argument, so many polls of one request, and as many alternating over four requests and a probe.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 2000, ROUNDS = 200, REQUESTS = 4, OPEN_TAG = 77, NO_TAG = 5, TAG = 3 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int in, out, flag;
static MPI_Request open[REQUESTS];

static void probe(void) {
    MPI_Iprobe(0, NO_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void test(void) {
    MPI_Test(&open[0], &flag, MPI_STATUS_IGNORE);
}

static void message(void) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_INT, 0, TAG, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void reduce(void) {
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_SELF);
}

static void measure(const char *name, void (*turn)(void)) {
    double least = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int at = 0; at < TURNS; at++)
            turn();
        double took = (now() - begin) / TURNS;
        least = took < least ? took : least;
    }
    printf("%s %.2f\n", name, least);
}

static void poll(long count) {
    for (long at = 0; at < count; at++)
        test();
    for (long at = 0; at < count; at++)
        if (at % (REQUESTS + 1) == REQUESTS)
            probe();
        else
            MPI_Test(&open[at % (REQUESTS + 1)], &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int at = 0; at < REQUESTS; at++)
        MPI_Irecv(&in, 1, MPI_INT, 0, OPEN_TAG, MPI_COMM_SELF, &open[at]);
    if (argc > 1) {
        poll(atol(argv[1]));
    } else {
        measure("MPI_Iprobe", probe);
        measure("MPI_Test", test);
        measure("Irecv+Send+Wait", message);
        measure("MPI_Allreduce", reduce);
        measure("MPI_Barrier", barrier);
    }
    for (int at = 0; at < REQUESTS; at++)
        MPI_Send(&out, 1, MPI_INT, 0, OPEN_TAG, MPI_COMM_SELF);
    MPI_Waitall(REQUESTS, open, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
