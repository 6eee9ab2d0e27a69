// A program as OMPi translates it, by hand: every construct, so that every call of translated code happens.
//
// Arguments: threads, rounds, and how it ends: `end`, `exit` and `kill` (inside a region), `fork` (a child with regions
// of its own), `fork-inside` (a child of a region's thread), `steer` (the second round is not recorded).
#include "program.h"

#include "../../../tracer/tool/include/ompttrace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int threads, rounds;
static const char *how = "end";

// #pragma omp parallel { every construct }
static void *_thrFunc0_(void *shared) {
  loops(shared);
  others(shared);
  tasks(shared);
  ort_taskwait(2);
  return NULL;
}

// #pragma omp parallel for, whose loop has no end of its own
static void *_thrFunc1_(void *shared) {
  unsigned long first, end;
  ort_entering_for(0, 0);
  if (ort_get_static_default_chunk(100, &first, &end)) work(shared, end - first);
  ort_fence();
  ort_taskwait(2);
  return NULL;
}

// #pragma omp parallel { #pragma omp parallel num_threads(2) }
static void *_thrFunc2_(void *shared) {
  ort_execute_parallel(_thrFunc1_, shared, 2, 0, 0);
  ort_taskwait(2);
  return NULL;
}

// A region without data of its own, in one with data: it finds those.
static void *_thrFunc3_(void *shared) {
  if (!shared) abort();
  ort_taskwait(2);
  return NULL;
}

static void *_thrFunc4_(void *shared) {
  (void)shared;
  ort_execute_parallel(_thrFunc3_, NULL, 2, 0, 0);
  ort_taskwait(2);
  return NULL;
}

// #pragma omp parallel { #pragma omp cancel parallel }
static void *_thrFunc5_(void *shared) {
  (void)shared;
  if (omp_get_thread_num() == 0) {
    if (ort_enable_cancel(0)) goto CANCEL_parallel;
  }
  if (ort_barrier_me() == 1) {
    ort_check_cancel(0);
    goto CANCEL_parallel;
  }
CANCEL_parallel:
  ort_taskwait(2);
  return NULL;
}

// #pragma omp parallel { ends, one way or the other }
static void *_thrFunc6_(void *shared) {
  for (long turns = 0;; turns++) {
    ort_critical_begin(&_ompi_crity);
    ort_critical_end(&_ompi_crity);
    if (turns < 1000 || omp_get_thread_num() != 1) continue;
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    exit(3);
  }
  return shared;
}

static void *_teamthrFunc0_(void *shared) {
  ort_execute_parallel(_thrFunc1_, shared, 2, 1, 0);
  return NULL;
}

static void *_kernelFunc0_(void *shared) {
  work(shared, 1);
  return NULL;
}

// #pragma omp target data, target, target update, target enter data, target exit data
static void targets(struct shared *shared) {
  void *environment = ort_start_target_data(1, -1);
  ort_write_var_dev(shared, 4, shared, -1);
  ort_offload_kernel(_kernelFunc0_, shared, NULL, "program_d00", -1, 0, 0, NULL, NULL, NULL, NULL, NULL, shared);
  ort_read_var_dev(shared, 4, shared, -1);
  ort_end_target_data(environment);
  ort_map_var_dev(shared, 4, shared, 0, -1, 1);
  ort_unmap_var_dev(shared, -1, 1, 0);
}

static void all(struct shared *shared) {
  ort_execute_parallel(_thrFunc0_, shared, threads, 0, 0);
  ort_execute_parallel(_thrFunc1_, shared, -1, 1, 0);
  ort_execute_serial(_thrFunc1_, shared);
  ort_execute_parallel(_thrFunc2_, shared, 2, 0, 0);
  ort_execute_parallel(_thrFunc4_, shared, 2, 0, 0);
  ort_execute_parallel(_thrFunc5_, shared, threads, 0, 0);
  ort_start_teams(_teamthrFunc0_, shared, 3, -1);
  targets(shared);
  outside(shared);
}

// Ends as the program does.
static void in_child(struct shared *shared) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    ort_execute_parallel(_thrFunc1_, shared, 1, 0, 0);
    ort_execute_serial(_thrFunc1_, shared);
    ort_finalize(0);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
}

static void *_thrFunc7_(void *shared) {
  if (omp_get_thread_num() == 0) in_child(shared);
  ort_taskwait(2);
  return NULL;
}

static int original_main(void) {
  static struct shared shared;
  make_locks(&shared);
  for (int round = 0; round < rounds; round++) {
    int is_paused = round == 1 && strcmp(how, "steer") == 0;
    if (is_paused) ompt_control(2, 0);
    all(&shared);
    if (is_paused) ompt_control(1, 0);
  }
  if (strcmp(how, "exit") == 0 || strcmp(how, "kill") == 0) ort_execute_parallel(_thrFunc6_, &shared, threads, 0, 0);
  if (strcmp(how, "fork") == 0) in_child(&shared);
  if (strcmp(how, "fork-inside") == 0) ort_execute_parallel(_thrFunc7_, &shared, threads, 0, 0);
  remove_locks(&shared);
  printf("%ld done\n", shared.done);
  return 0;
}

int main(int argc, char **argv) {
  ort_initialize(&argc, &argv, 0, 2, "module one", "module two");
  threads = argc > 1 ? atoi(argv[1]) : 4;
  rounds = argc > 2 ? atoi(argv[2]) : 1;
  if (argc > 3) how = argv[3];
  ort_finalize(original_main());
}
