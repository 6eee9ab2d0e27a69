// What GCC 4.8 makes of parallel regions: one call begins them, another ends them, and the thread that
// encounters them calls the outlined function by itself.
// run: threads=4
// build: compiler=gcc
#include "../programs/check.h"

extern void GOMP_parallel_start(void (*)(void *), void *, unsigned);
extern void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
extern void GOMP_parallel_end(void);
extern _Bool GOMP_loop_dynamic_next(long *, long *);
extern void GOMP_loop_end_nowait(void);
extern void omp_set_max_active_levels(int);

static int team_threads, inner, iterations;

static void in_inner(void *data) { __atomic_fetch_add(&inner, *(int *)data, __ATOMIC_RELAXED); }

static void in_outer(void *data) {
  int one = 1;
  __atomic_fetch_add(&team_threads, 1, __ATOMIC_RELAXED);
  GOMP_parallel_start(in_inner, &one, 2);
  in_inner(&one);
  GOMP_parallel_end();
}

static void in_loop(void *data) {
  long first, last;
  while (GOMP_loop_dynamic_next(&first, &last))
    __atomic_fetch_add(&iterations, (int)(last - first), __ATOMIC_RELAXED);
  GOMP_loop_end_nowait();
}

int main(void) {
  omp_set_max_active_levels(2);
  GOMP_parallel_start(in_outer, 0, 4);
  in_outer(0);
  GOMP_parallel_end();
  GOMP_parallel_loop_dynamic_start(in_loop, 0, 4, 0, 100, 1, 3);
  in_loop(0);
  GOMP_parallel_end();
  return finish("old_entries", team_threads == 4 && inner == 8 && iterations == 100);
}
