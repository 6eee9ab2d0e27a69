// Four threads of the program's own call MPI at the same time, each with its own communicator: the recording has them all.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 200 };

static MPI_Comm comms[THREADS];
static int other;

static void *work(void *number) {
    int own = (int)(long)number, in[50];
    for (int round = 0; round < ROUNDS; round++) {
        int out[50] = {0}, length = 1 + (own + round) % 50;
        MPI_Request requests[2];
        MPI_Irecv(in, 50, MPI_INT, other, own, comms[own], &requests[0]);
        MPI_Isend(out, length, MPI_INT, other, own, comms[own], &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return 0;
}

int main(int argc, char **argv) {
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    pthread_t threads[THREADS];
    for (long own = 0; own < THREADS; own++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[own]);
    for (long own = 0; own < THREADS; own++)
        pthread_create(&threads[own], 0, work, (void *)own);
    long bytes = 0;
    for (long own = 0; own < THREADS; own++) {
        pthread_join(threads[own], 0);
        for (int round = 0; round < ROUNDS; round++)
            bytes += 4 * (1 + (own + round) % 50);
    }
    MPI_Finalize();
    printf("rank %d: calls of MPI_Init_thread: 1\n", rank);
    printf("rank %d: calls of MPI_Comm_dup: %d\n", rank, THREADS);
    printf("rank %d: calls of MPI_Irecv: %d\n", rank, THREADS * ROUNDS);
    printf("rank %d: calls of MPI_Isend: %d\n", rank, THREADS * ROUNDS);
    printf("rank %d: calls of MPI_Waitall: %d\n", rank, THREADS * ROUNDS);
    printf("rank %d: calls of MPI_Finalize: 1\n", rank);
    printf("rank %d: sent: %d messages, %ld bytes\n", rank, THREADS * ROUNDS, bytes);
    printf("rank %d: received: %d messages, %ld bytes\n", rank, THREADS * ROUNDS, bytes);
    return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}
