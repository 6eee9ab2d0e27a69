// What a whole team does together: loops with all schedules, sections, single, masked, ordered,
// reductions, barriers. Each thread has the same dice, and so takes the same steps.
#include <omp.h>

#include "soak.h"

static void loop(dice d, int depth) {
  int end = below(&d, 40), chunk = 1 + below(&d, 4);
  switch (below(&d, 9)) {
    case 0:
#pragma omp for schedule(static)
      for (int i = 0; i < end; i++) inner_steps(branch(d, i), depth);
      break;
    case 1:
#pragma omp for schedule(static, chunk)
      for (int i = 0; i < end; i++) inner_steps(branch(d, i), depth);
      break;
    case 2:
#pragma omp for schedule(dynamic, chunk) nowait
      for (int i = 0; i < end; i++) inner_steps(branch(d, i), depth);
      break;
    case 3:
#pragma omp for schedule(nonmonotonic : dynamic)
      for (int i = 0; i < end; i++) leaf(branch(d, i));
      break;
    case 4:
#pragma omp for schedule(guided, chunk)
      for (int i = 0; i < end; i++) inner_steps(branch(d, i), depth);
      break;
    case 5:
#pragma omp for schedule(auto) collapse(2)
      for (int i = 0; i < end; i++)
        for (int k = 0; k < chunk; k++) leaf(branch(d, i));
      break;
    case 6: {
      static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
      omp_set_schedule(kinds[below(&d, 3)], chunk);
#pragma omp for schedule(runtime)
      for (int i = 0; i < end; i++) leaf(branch(d, i));
      break;
    }
    case 7:
#pragma omp for schedule(monotonic : dynamic)
      for (int i = 0; i < end; i += chunk) leaf(branch(d, i));
      break;
    default:
#pragma omp for simd
      for (int i = 0; i < end; i++) __asm__ volatile("");
  }
}

// Who waits for its turn runs no tasks meanwhile, and whoever has it may wait for tasks of others that are
// in its queue: so all are over before.
static void ordered_loop(dice d, int depth) {
  int end = 1 + below(&d, 12);
  (void)depth;
#pragma omp barrier
  switch (below(&d, 3)) {
    case 0:
#pragma omp for ordered schedule(dynamic)
      for (int i = 0; i < end; i++) {
        leaf(branch(d, i));
#pragma omp ordered
        leaf(branch(d, -i));
      }
      break;
    case 1:
#pragma omp for ordered schedule(static)
      for (int i = 0; i < end; i++) {
#pragma omp ordered
        leaf(branch(d, i));
      }
      break;
    default:
#pragma omp for ordered(1) schedule(static, 1)
      for (int i = 1; i < end; i++) {
#pragma omp ordered depend(sink : i - 1)
        leaf(branch(d, i));
#pragma omp ordered depend(source)
      }
  }
}

// In a reduction's barrier threads run tasks, and LLVM's runtime forgets how it reduces where one of these
// reduces as well: here all tasks are over, too.
static void reducing_loop(dice d, int depth) {
  // Reductions of an orphaned loop need memory that the team shares.
  static long sums[64];
  long *sum = &sums[below(&d, 64)];
  int end = 1 + below(&d, 30);
  (void)depth;
#pragma omp barrier
#pragma omp for reduction(+ : sum[0 : 1]) schedule(static)
  for (int i = 0; i < end; i++) sum[0] += i;
}

static void sections(dice d, int depth) {
#pragma omp sections
  {
    inner_steps(branch(d, 1), depth);
#pragma omp section
    leaf(branch(d, 2));
#pragma omp section
    inner_steps(branch(d, 3), depth);
  }
}

static void single(dice d, int depth) {
  int value = 1;
  switch (below(&d, 3)) {
    case 0:
#pragma omp single
      inner_steps(d, depth);
      break;
    case 1:
#pragma omp single nowait
      some_tasks(d, depth);
      break;
    default:
#pragma omp single copyprivate(value)
      value = 2;
      if (value != 2) abort();
  }
}

static void masked(dice d, int depth) {
  switch (below(&d, 3)) {
    case 0:
#pragma omp masked
      inner_steps(d, depth);
      break;
    case 1:
#pragma omp masked filter(1)
      inner_steps(d, depth);
      break;
    default:
#pragma omp master
      leaf(d);
  }
}

static void barrier(dice d, int depth) {
  (void)d, (void)depth;
#pragma omp barrier
}

static void in_region(dice d, int depth) {
  (void)depth;
  if (below(&d, 6) == 0) process_in_region(d);
}

static void each_alone(dice d, int depth) {
  inner_steps(branch(d, omp_get_thread_num()), depth);
}

static step *const steps[] = {
    loop,   loop,   loop,   ordered_loop, reducing_loop, sections,
    single, single, masked, barrier,      in_region,          each_alone,
};

void team_steps(dice d, int depth) {
  for (int left = 1 + below(&d, 4); left > 0; left--) {
    step *next = steps[below(&d, sizeof steps / sizeof *steps)];
    next(roll(&d), depth);
  }
}

void region(dice d, int depth) {
  int threads = 1 + below(&d, 4), many = below(&d, 4) > 0, sum = 0;
  switch (below(&d, 6)) {
    case 0:
#pragma omp parallel num_threads(threads) reduction(+ : sum)
      {
        sum += 1;
        team_steps(d, depth);
#pragma omp barrier
      }
      break;
    case 1:
#pragma omp parallel if (many) num_threads(threads)
      team_steps(d, depth);
      break;
    case 2:
#pragma omp parallel proc_bind(spread) num_threads(threads)
      team_steps(d, depth);
      break;
    case 3:
#pragma omp parallel for num_threads(threads) schedule(dynamic)
      for (int i = 0; i < threads + 2; i++) inner_steps(branch(d, i), depth);
      break;
    case 4:
#pragma omp parallel sections num_threads(threads)
      {
        leaf(d);
#pragma omp section
        inner_steps(branch(d, 1), depth);
      }
      break;
    default:
#pragma omp parallel num_threads(threads)
      {
        dice own = branch(d, omp_get_thread_num());
        critical_section();
        team_steps(d, depth);
        leaf(own);
      }
  }
}
