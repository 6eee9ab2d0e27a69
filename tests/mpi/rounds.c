// Barriers until a file named `stop` appears in the working folder: for commands from outside.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (!stop) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) stop = access("stop", F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        usleep(1000);
    }
    MPI_Finalize();
    return 0;
}
