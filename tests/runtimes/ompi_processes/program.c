// A program for execution entities that are processes: what their regions share lies in memory that they share.
#include "../ompi/program.h"

#include <stdio.h>
#include <stdlib.h>

static void *_thrFunc0_(void *argument) {
  struct shared *shared = argument;
  unsigned long first, end;
  ort_entering_for(0, 0);
  if (ort_get_static_default_chunk(100, &first, &end)) work(shared, end - first);
  ort_leaving_for();
  ort_barrier_me();
  omp_set_lock(&shared->lock);
  shared->done++;
  omp_unset_lock(&shared->lock);
  ort_taskwait(2);
  return NULL;
}

int main(int argc, char **argv) {
  ort_initialize(&argc, &argv, 0, 0);
  int threads = atoi(argv[1]), rounds = atoi(argv[2]);
  struct shared *shared = ort_shared(sizeof *shared);
  make_locks(shared);
  for (int round = 0; round < rounds; round++) ort_execute_parallel(_thrFunc0_, shared, threads, 0, 0);
  printf("%ld done\n", shared->done);
  ort_finalize(0);
}
