// Accesses windows and files by all kinds of functions and synchronises them in every way, and prints how many accesses of each kind
// of OTF2 that were, and their bytes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, LENGTH = 32 };

static int rank, other, own[LENGTH], back[LENGTH];
static long put_count, put, get_count, got, atomics, sent, received, operations, wanted, moved;

static void puts_one(int count, MPI_Win window) {
    MPI_Put(own, count, MPI_INT, other, 0, count, MPI_INT, window);
    put_count++, put += 4L * count;
}

static void gets_one(int count, MPI_Win window) {
    MPI_Get(back, count, MPI_INT, other, 0, count, MPI_INT, window);
    get_count++, got += 4L * count;
}

static void atomic_ones(MPI_Win window) {
    int one = 1, before;
    MPI_Accumulate(own, 3, MPI_INT, other, 0, 3, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate(own, 2, MPI_INT, back, 2, MPI_INT, other, 0, 2, MPI_INT, MPI_SUM, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT, other, 0, MPI_SUM, window);
    MPI_Compare_and_swap(&one, &one, &before, MPI_INT, other, 0, window);
    atomics += 4, sent += 12 + 8 + 4 + 4, received += 8 + 4 + 4;
}

static void fenced(MPI_Win window) {
    MPI_Win_fence(0, window);
    for (int round = 1; round <= ROUNDS; round++) {
        puts_one(round, window);
        MPI_Win_fence(0, window);
        gets_one(round, window);
        MPI_Put(own, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
    }
    atomic_ones(window);
    MPI_Win_fence(0, window);
}

static void locked(MPI_Win window) {
    MPI_Request request;
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Win_lock(round % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, other, 0, window);
        puts_one(round, window);
        MPI_Win_flush_local(other, window);
        gets_one(1, window);
        MPI_Win_flush(other, window);
        puts_one(1, window);
        MPI_Win_unlock(other, window);
    }
    MPI_Win_lock_all(0, window);
    MPI_Rput(own, 4, MPI_INT, other, 0, 4, MPI_INT, window, &request);
    put_count++, put += 16;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_local_all(window);
    MPI_Rget(back, 2, MPI_INT, other, 0, 2, MPI_INT, window, &request);
    get_count++, got += 8;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Win_sync(window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void posted(MPI_Win window) {
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    puts_one(7, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void counts(long bytes, long done) {
    operations++, wanted += bytes, moved += done;
}

static void written(MPI_File file) {
    MPI_Request request;
    MPI_Status status;
    MPI_Offset at = rank * sizeof own;
    MPI_File_write_at(file, at, own, LENGTH, MPI_INT, MPI_STATUS_IGNORE);
    counts(sizeof own, sizeof own);
    MPI_File_write_at_all(file, at, own, LENGTH / 2, MPI_INT, &status);
    counts(sizeof own / 2, sizeof own / 2);
    MPI_File_iwrite_at(file, at, own, 3, MPI_INT, &request);
    counts(12, 12);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, at, own, 5, MPI_INT);
    MPI_File_write_at_all_end(file, own, MPI_STATUS_IGNORE);
    counts(20, 20);
}

static void read_back(MPI_File file) {
    MPI_Request request;
    // The last eight integers of the file, and as many that are not there.
    MPI_Offset at = 2 * sizeof own - 32;
    MPI_File_read_at(file, at, back, 16, MPI_INT, MPI_STATUS_IGNORE);
    counts(64, 32);
    MPI_File_iread_at(file, 0, back, 6, MPI_INT, &request);
    counts(24, 24);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_all(file, back, 2, MPI_INT, MPI_STATUS_IGNORE);
    counts(8, 8);
}

int main(int argc, char **argv) {
    int *memory, apart[LENGTH] = {0};
    MPI_Win fenced_window, window, unused;
    MPI_Comm again;
    MPI_File file, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    MPI_Win_create(apart, sizeof apart, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &fenced_window);
    MPI_Win_allocate(LENGTH * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, LENGTH * sizeof(int));
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Win_create_dynamic(MPI_INFO_NULL, again, &unused);
    MPI_Barrier(MPI_COMM_WORLD);
    fenced(fenced_window);
    locked(window);
    posted(fenced_window);
    MPI_Win_free(&unused);
    MPI_Win_free(&window);
    MPI_Win_free(&fenced_window);
    MPI_File_open(MPI_COMM_WORLD, "accesses.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    written(file);
    MPI_File_close(&file);
    char name[20];
    sprintf(name, "accesses.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &mine);
    MPI_File_open(MPI_COMM_WORLD, "accesses.data", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    read_back(file);
    MPI_File_write(mine, own, 1, MPI_INT, MPI_STATUS_IGNORE);
    counts(4, 4);
    MPI_File_close(&mine);
    MPI_File_close(&file);
    MPI_Finalize();
    printf("rank %d: RmaPut %ld %ld\n", rank, put_count, put);
    printf("rank %d: RmaGet %ld %ld\n", rank, get_count, got);
    printf("rank %d: RmaAtomic %ld %ld %ld\n", rank, atomics, sent, received);
    printf("rank %d: IoOperation %ld %ld %ld\n", rank, operations, wanted, moved);
    return 0;
}
