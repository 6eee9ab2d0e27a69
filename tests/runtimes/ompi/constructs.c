// Loops, sections, single, order, mutexes and reductions, as OMPi translates them.
#include "program.h"

#include <stdlib.h>

enum { ITERATIONS = 40 };

void *_ompi_crity, *_ompi_crity_named, *_ompi_reduction;

void work(struct shared *shared, long amount) { __atomic_fetch_add(&shared->done, amount, __ATOMIC_SEQ_CST); }

void make_locks(struct shared *shared) {
  omp_init_lock(&shared->lock);
  omp_init_lock_with_hint(&shared->hinted, 2);
  omp_init_nest_lock(&shared->nest);
}

void remove_locks(struct shared *shared) {
  omp_destroy_lock(&shared->lock);
  omp_destroy_lock(&shared->hinted);
  omp_destroy_nest_lock(&shared->nest);
}

void loops(struct shared *shared) {
  unsigned long first, end, size;
  // for
  ort_entering_for(0, 0);
  if (ort_get_static_default_chunk(ITERATIONS, &first, &end)) work(shared, end - first);
  ort_leaving_for();
  ort_barrier_me();
  // for schedule(dynamic, 3) nowait
  ort_entering_for(1, 0);
  while (ort_get_dynamic_chunk(ITERATIONS, 3, 1, &first, &end, NULL)) work(shared, end - first);
  ort_leaving_for();
  // for schedule(guided)
  ort_entering_for(0, 0);
  while (ort_get_guided_chunk(ITERATIONS, 1, 1, &first, &end, NULL)) work(shared, end - first);
  ort_leaving_for();
  ort_barrier_me();
  // for schedule(runtime)
  chunky chunk;
  int extra = -1;
  ort_entering_for(0, 0);
  ort_get_runtime_schedule_stuff(&chunk, &size);
  while (chunk(ITERATIONS, size, 0, &first, &end, &extra)) work(shared, end - first);
  ort_leaving_for();
  ort_barrier_me();
  // for schedule(static, 2) ordered
  int threads = omp_get_num_threads();
  ort_entering_for(0, 1);
  for (unsigned long number = omp_get_thread_num(); 2 * number < ITERATIONS; number += threads)
    for (unsigned long iteration = 2 * number; iteration < 2 * number + 2; iteration++) {
      ort_for_curriter(iteration);
      ort_ordered_begin();
      work(shared, 1);
      ort_ordered_end();
    }
  ort_leaving_for();
  ort_barrier_me();
  // for ordered(2): rows and columns of 4 and 5
  long nest[2][3] = {{0, 1, 4}, {0, 1, 5}};
  ort_entering_doacross(0, 2, 1, 0, 0, nest);
  if (ort_get_static_default_chunk(4, &first, &end))
    for (long row = first; row < (long)end; row++)
      for (long column = 0; column < 5; column++) {
        long sinks[2][2] = {{row - 1, column}, {row, column - 1}};
        ort_doacross_wait(nest, 2, &sinks[0][0]);
        work(shared, 1);
        ort_doacross_post(nest, (long[]){row, column});
      }
  ort_leaving_for();
  ort_barrier_me();
}

static void sections(struct shared *shared, int nowait) {
  int section = -1, in_parallel;
  if ((in_parallel = omp_in_parallel() && omp_get_num_threads() > 1)) ort_entering_sections(nowait, 3);
  for (;;) {
    if (in_parallel) {
      if ((section = ort_get_section()) < 0) break;
    } else if (++section >= 3) {
      break;
    }
    work(shared, section);
  }
  if (in_parallel) ort_leaving_sections();
  if (!nowait) ort_barrier_me();
}

static void singles(struct shared *shared) {
  if (ort_mysingle(0)) work(shared, 1);
  ort_leaving_single();
  ort_barrier_me();
  if (ort_mysingle(1)) work(shared, 1);
  ort_leaving_single();
  // single copyprivate(value)
  int value = 0;
  if (ort_mysingle(0)) {
    value = 7;
    ort_broadcast_private(1, &value);
  }
  ort_leaving_single();
  ort_barrier_me();
  ort_copy_private(1, &value, (int)sizeof value);
  ort_barrier_me();
  if (value != 7) abort();
}

static void mutexes(struct shared *shared) {
  ort_critical_begin(&_ompi_crity);
  ort_critical_end(&_ompi_crity);
  ort_critical_begin(&_ompi_crity_named);
  ort_critical_end(&_ompi_crity_named);
  ort_atomic_begin();
  ort_atomic_end();
  omp_set_lock(&shared->lock);
  omp_unset_lock(&shared->lock);
  if (omp_test_lock(&shared->hinted)) omp_unset_lock(&shared->hinted);
  omp_set_nest_lock(&shared->nest);
  omp_set_nest_lock(&shared->nest);
  if (omp_test_nest_lock(&shared->nest)) omp_unset_nest_lock(&shared->nest);
  omp_unset_nest_lock(&shared->nest);
  omp_unset_nest_lock(&shared->nest);
}

static void reductions(void) {
  int local = 1;
  static int global;
#define CALL(operation) ort_reduce_##operation(0, &local, &global, 1);
  REDUCTIONS(CALL)
  ort_reduction_begin(&_ompi_reduction);
  ort_reduction_end(&_ompi_reduction);
}

// #pragma omp for { #pragma omp cancel for }
static void cancelled(struct shared *shared) {
  unsigned long first, end;
  ort_entering_for(0, 0);
  while (ort_get_dynamic_chunk(ITERATIONS, 1, 1, &first, &end, NULL)) {
    work(shared, 0);
    if (ort_enable_cancel(2)) goto CANCEL_for;
    ort_check_cancel(2);
  }
CANCEL_for:
  ort_leaving_for();
  ort_barrier_me();
}

void others(struct shared *shared) {
  sections(shared, 0);
  sections(shared, 1);
  singles(shared);
  mutexes(shared);
  reductions();
  ort_barrier_me();
  ort_fence();
  cancelled(shared);
}

// A loop and locks that no team shares.
void outside(struct shared *shared) {
  unsigned long first, end;
  ort_entering_for(0, 0);
  if (ort_get_static_default_chunk(ITERATIONS, &first, &end)) work(shared, end - first);
  ort_leaving_for();
  ort_barrier_me();
  mutexes(shared);
}
