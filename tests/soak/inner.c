// What any thread may do inside of anything, as long as it holds nothing that others wait for.
#include <omp.h>
#include <sched.h>

#include "soak.h"

static long work_left;

int may_go_on(void) { return __atomic_sub_fetch(&work_left, 1, __ATOMIC_RELAXED) > 0; }

void give_work(long steps) { __atomic_store_n(&work_left, steps, __ATOMIC_RELAXED); }

void leaf(dice d) {
  static long shared;
  volatile int spun = 0;
  for (int left = below(&d, 60); left > 0; left--) spun += left;
  switch (below(&d, 5)) {
    case 0: critical_section(); break;
    case 1:
#pragma omp atomic
      shared++;
      break;
    case 2: {
#pragma omp flush
      break;
    }
    default: break;
  }
  for (int left = may('y') ? below(&d, 400) : 0; left > 0; left--) sched_yield();
}

static void flush(dice d, int depth) {
  (void)depth;
  if (below(&d, 8) == 0) omp_control_tool(omp_control_tool_flush, 0, NULL);
}

static void yield(dice d, int depth) {
  (void)depth;
  for (int times = 1 + below(&d, 3); times > 0; times--) {
#pragma omp taskyield
  }
}

static void some_leaves(dice d, int depth) {
  (void)depth;
  for (int left = 1 + below(&d, 12); left > 0; left--) leaf(branch(d, left));
}

static step *const steps[] = {
    some_leaves, some_leaves,      some_leaves,         flush,         yield,
    some_tasks,  some_tasks,       some_taskloop,       some_locks,    some_nested_locks,
    region,      some_dependences, some_reducing_tasks, cancelled_region, cancelled_taskgroup,
    cancelled_loop, cancelled_sections,
};

void inner_steps(dice d, int depth) {
  int left = 1 + below(&d, 3);
  if (depth <= 0) leaf(d);
  for (; depth > 0 && left > 0 && may_go_on(); left--) {
    step *next = steps[below(&d, sizeof steps / sizeof *steps)];
    next(roll(&d), depth - 1);
  }
}
