// MPI and OpenMP: every rank works in threads and waits for the others twice.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int provided, rank;
  double sum = 0, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 2; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 16) num_threads(2)
    for (int i = 0; i < 1000 * (rank + 1); i++)
      sum += i % 7;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return all > 0 ? 0 : 1;
}
