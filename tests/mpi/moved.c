// Moves bytes through a window and a file, and prints how many by function.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 10, LENGTH = 20 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, memory[LENGTH] = {0}, own[LENGTH] = {0}, one = 1, before;
    long put = 0, got = 0, added = 0, written = 0, read = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = rank ^ 1;
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Win_fence(0, window);
        MPI_Put(own, round, MPI_INT, other, 0, round, MPI_INT, window);
        put += 4L * round;
        MPI_Win_fence(0, window);
        MPI_Get(own, round / 2, pair, other, 0, round / 2, pair, window);
        got += 8L * (round / 2);
        MPI_Win_fence(0, window);
        MPI_Accumulate(own, 3, MPI_INT, other, 0, 3, MPI_INT, MPI_SUM, window);
        added += 12;
        MPI_Win_fence(0, window);
        MPI_Fetch_and_op(&one, &before, MPI_INT, other, 0, MPI_SUM, window);
        MPI_Win_fence(0, window);
    }
    // The size of the last datatype is remembered until one is freed: then its handle is that of a longer one.
    MPI_Win_fence(0, window);
    MPI_Put(own, 1, pair, other, 0, 1, pair, window);
    put += 8;
    MPI_Win_fence(0, window);
    MPI_Type_free(&pair);
    MPI_Type_contiguous(5, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_fence(0, window);
    MPI_Put(own, 1, pair, other, 0, 1, pair, window);
    put += 20;
    MPI_Win_fence(0, window);
    MPI_Type_free(&pair);
    MPI_Win_free(&window);
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, "moved.data", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Offset at = 1000 * rank + 4 * round;
        MPI_File_write_at(file, at, own, LENGTH, MPI_INT, MPI_STATUS_IGNORE);
        written += 4L * LENGTH;
        MPI_File_iread_at(file, at, own, LENGTH / 2, MPI_INT, &request);
        read += 2L * LENGTH;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    printf("rank %d: bytes of MPI_Put: %ld\n", rank, put);
    printf("rank %d: bytes of MPI_Get: %ld\n", rank, got);
    printf("rank %d: bytes of MPI_Accumulate: %ld\n", rank, added);
    printf("rank %d: bytes of MPI_Fetch_and_op: %d\n", rank, 4 * ROUNDS);
    printf("rank %d: bytes of MPI_File_write_at: %ld\n", rank, written);
    printf("rank %d: bytes of MPI_File_iread_at: %ld\n", rank, read);
    return 0;
}
