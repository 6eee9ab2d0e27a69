// Makes ranks wait for each other in known ways, and prints of each how long by readings of the clock around the calls: a
// report of the job must say the same. The argument names the pattern.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 20, LARGE = 1 << 22 };

static int rank, size;
static double waited;

// The time of day: ranks in time namespaces have it in common.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

// Computes for a time, without giving the core away.
static void compute(double seconds) {
    double until = now() + seconds;
    volatile double sum = 0;
    while (now() < until)
        for (int i = 0; i < 1000; i++)
            sum += i * 0.5;
}

// Rank 0 is at the receive while rank 1 computes for 10 ms.
static void late_sender(void) {
    double begins[2] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            compute(0.010);
        double data[2] = {now(), 0};
        if (rank == 1) {
            MPI_Send(data, 2, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
        } else if (rank == 0) {
            double enter = now();
            MPI_Recv(begins, 2, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            waited += begins[0] > enter ? begins[0] - enter : 0;
        }
    }
}

// Rank 1 is at the send of a message that needs its receiver, which computes for 10 ms.
static void late_receiver(void) {
    static char data[LARGE];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double enter = now(), posted = 0;
        if (rank == 1) {
            MPI_Send(data, LARGE, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
            MPI_Recv(&posted, 1, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            waited += posted > enter ? posted - enter : 0;
        } else if (rank == 0) {
            compute(0.010);
            posted = now();
            MPI_Recv(data, LARGE, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&posted, 1, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD);
        }
    }
}

// One rank computes for 10 ms before a barrier: the last one, or each in turn.
static void late_rank(int moves) {
    for (int round = 0; round < ROUNDS; round++) {
        int late = moves ? round % size : size - 1;
        double mine[2], all[64];
        MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == late)
            compute(0.010);
        mine[0] = now();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allgather(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        double last = 0;
        for (int other = 0; other < size; other++)
            last = all[other] > last ? all[other] : last;
        waited += last - mine[0];
    }
}

// Messages, of which rank 1 does not record some, or has no end.
static void interrupted(const char *how) {
    for (int round = 0; round < ROUNDS; round++) {
        double data = round;
        if (rank == 1 && round == ROUNDS / 2) {
            if (!strcmp(how, "paused"))
                MPI_Pcontrol(0);
            else
                abort();
        }
        if (rank == 1)
            MPI_Send(&data, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Recv(&data, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1 && round == ROUNDS / 2)
            MPI_Pcontrol(1);
    }
}

int main(int argc, char **argv) {
    const char *pattern = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(pattern, "late_sender"))
        late_sender();
    else if (!strcmp(pattern, "late_receiver"))
        late_receiver();
    else if (!strcmp(pattern, "barrier"))
        late_rank(0);
    else if (!strcmp(pattern, "moving"))
        late_rank(1);
    else
        interrupted(pattern);
    double all = 0;
    MPI_Reduce(&waited, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("waited: %.0f ns\n", all * 1e9);
    MPI_Finalize();
    return 0;
}
