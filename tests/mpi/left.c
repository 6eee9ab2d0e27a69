// Leaves published what rank 0 of a recorded job that is killed at once may leave.
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Publish_name("ompttrace.job.0", MPI_INFO_NULL, "left");
    MPI_Finalize();
    return 0;
}
