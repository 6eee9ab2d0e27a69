// One rank of many: rounds in which it exchanges as many messages as the first argument says with both of its neighbours, computes
// for a time that differs by rank and round, and takes part in a sum; the second argument is the number of rounds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };

static void work(int turns) {
  volatile double sum = 0;
  for (int turn = 0; turn < turns; turn++) sum = sum + turn * 0.5;
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  int messages = count > 1 ? atoi(arguments[1]) : 10, rounds = count > 2 ? atoi(arguments[2]) : 10;
  if (messages > MOST) messages = MOST;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int before = (rank + size - 1) % size, after = (rank + 1) % size;
  static double in[2][MOST], out[2][MOST], sum;
  static MPI_Request requests[4 * MOST];
  for (int round = 0; round < rounds; round++) {
    int open = 0;
    for (int one = 0; one < messages; one++) {
      MPI_Irecv(&in[0][one], 1, MPI_DOUBLE, before, one, MPI_COMM_WORLD, &requests[open++]);
      MPI_Irecv(&in[1][one], 1, MPI_DOUBLE, after, one + MOST, MPI_COMM_WORLD, &requests[open++]);
    }
    work(1000 * (1 + (rank + round) % size));
    for (int one = 0; one < messages; one++) {
      MPI_Isend(&out[0][one], 1, MPI_DOUBLE, after, one, MPI_COMM_WORLD, &requests[open++]);
      MPI_Isend(&out[1][one], 1, MPI_DOUBLE, before, one + MOST, MPI_COMM_WORLD, &requests[open++]);
    }
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
