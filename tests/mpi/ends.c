// Ends as its argument says: rank 1 does so first. Every way of it leaves a recording with all calls before.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 50, POLLS = 20000 };

static void poll_and_die(int other) {
    int in, flag;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, other, 9, MPI_COMM_WORLD, &request);
    for (long at = 0; at < POLLS; at++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    int rank, in, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1;
    for (int round = 0; round < ROUNDS; round++)
        MPI_Sendrecv(&out, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(how, "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(how, "killed") && rank == 1)
        poll_and_die(other);
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "commands")) {
        MPI_Pcontrol(0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(2);
        MPI_Pcontrol(7);
    } else {
        // Until the other one's end ends this one, too.
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
