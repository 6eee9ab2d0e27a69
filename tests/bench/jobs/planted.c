// Programs of two ranks and their threads that lose time for one reason each, which the argument names. A comment
// "finds NAME: KIND KIND" stands at the line that the first finding of a report of the job must name, with the kinds that are right.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 30, LARGE = 1 << 22, ROWS = 2048 };

// Counting rounds after the last call keeps that from being a jump, whose place would be the caller's.
static int rank;
static volatile int rounds;
static char data[LARGE];
static double matrix[ROWS][ROWS];
static double sums[64];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

// Computes for some milliseconds, without giving the core away.
static void compute(double milliseconds) {
    double until = now() + milliseconds * 1e-3;
    volatile double sum = 0;
    while (now() < until)
        for (int i = 0; i < 1000; i++)
            sum += i * 0.5;
}

static void both_compute(double milliseconds) {
#pragma omp parallel num_threads(1)
    compute(milliseconds);
}

// The other rank gets its data late, because one thread has most of the iterations.
static void imbalanced_loop(void) {
    if (rank == 1) {
#pragma omp parallel for num_threads(2) schedule(static, 1) // finds imbalanced_loop: rank_imbalance late_sender threads
        for (int i = 0; i < 2; i++)
            compute(i == 0 ? 10 : 1);
        MPI_Send(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    } else {
        both_compute(1);
        MPI_Recv(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// One rank does something alone before all put their sums together.
static void serial_section(void) {
    double sum = 1, all;
    both_compute(2);
    if (rank == 0)
        compute(8);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // finds serial_section: rank_imbalance serial wait_at_n_to_n
}

// The threads of one rank need a lock for all that they do.
static void lock(void) {
    int threads = rank == 1 ? 2 : 1;
#pragma omp parallel num_threads(threads) // finds lock: rank_imbalance threads
    for (int i = 0; i < 4; i++) {
#pragma omp critical
        compute(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rounds++;
}

// One rank has three times the work.
static void slow_rank(void) {
#pragma omp parallel num_threads(1) // finds slow_rank: rank_imbalance
    compute(rank == 1 ? 9 : 3);
    MPI_Barrier(MPI_COMM_WORLD);
    rounds++;
}

// A message that needs its receiver, which computes first; the sender computes after it.
static void late_receiver(void) {
    if (rank == 1) {
        MPI_Send(data, LARGE, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        both_compute(5);
    } else {
        both_compute(8);
        MPI_Recv(data, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // finds late_receiver: late_receiver
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rounds++;
}

// Only the first threads are in MPI, which packs a column of a matrix.
static void idle_threads(void) {
    static double packed[ROWS * 16];
    int size = sizeof packed, at = 0;
    MPI_Datatype columns;
#pragma omp parallel num_threads(2)
    compute(0.2);
    MPI_Type_vector(ROWS, 16, ROWS, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    for (int i = 0; i < 500; i++) {
        at = 0;
        MPI_Pack(matrix, 1, columns, packed, size, &at, MPI_COMM_WORLD); // finds idle_threads: idle_during_mpi
    }
    MPI_Type_free(&columns);
    MPI_Sendrecv_replace(packed, at, MPI_PACKED, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Tasks that are hardly any work, one after the other, in every rank.
static void fine_tasks(void) {
#pragma omp parallel num_threads(2) // finds fine_tasks: threads
#pragma omp single
    for (int i = 0; i < 10000; i++) {
#pragma omp task firstprivate(i)
        sums[i % 64] += i;
#pragma omp taskwait
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rounds++;
}

// Each rank computes when it has the other's data, and so they never compute at the same time.
static void chain(void) {
    if (rank == 0) {
        both_compute(5);
        MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD); // finds chain: late_sender
        MPI_Recv(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        both_compute(5);
        MPI_Send(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD); // finds chain: late_sender
    }
}

static const struct {
    const char *name;
    void (*round)(void);
} PROGRAMS[] = {
    {"imbalanced_loop", imbalanced_loop}, {"serial_section", serial_section}, {"lock", lock},
    {"slow_rank", slow_rank}, {"late_receiver", late_receiver}, {"idle_threads", idle_threads},
    {"fine_tasks", fine_tasks}, {"chain", chain},
};

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned at = 0; at < sizeof PROGRAMS / sizeof *PROGRAMS; at++)
        for (int round = 0; argc > 1 && !strcmp(argv[1], PROGRAMS[at].name) && round < ROUNDS; round++)
            PROGRAMS[at].round();
    MPI_Finalize();
    return 0;
}
