// Explicit tasks of every kind, loops of tasks, groups of tasks, dependences, reductions, and tasks
// whose end is an event.
#include <omp.h>

#include "soak.h"

static void one_task(dice d, int depth) {
  int now = below(&d, 2), last = below(&d, 2);
  dice its = roll(&d);
  switch (below(&d, 7)) {
    case 0:
      // An untied task that is not deferred trips over an assertion of LLVM's runtime.
      if (omp_get_num_threads() == 1 || omp_in_final()) break;
      // One that waits for tasks of its own waits for ever where no thread may run them: a thread that took
      // it up in a taskyield of a tied task may run that task's descendants only.
#pragma omp task untied
      {
        leaf(branch(its, 1));
#pragma omp taskyield
        leaf(its);
      }
      break;
    case 1:
#pragma omp task if (now)
      inner_steps(its, depth);
      break;
    case 2:
#pragma omp task final(last) mergeable
      inner_steps(its, depth);
      break;
    case 3:
#pragma omp task priority(2)
      inner_steps(its, depth);
      break;
    case 4:
#pragma omp task if (now) final(last)
      inner_steps(its, depth);
      break;
    default:
#pragma omp task
      inner_steps(its, depth);
  }
}

void some_tasks(dice d, int depth) {
  int wait = below(&d, 4), left = 1 + below(&d, 10);
  if (wait == 0) {
#pragma omp taskgroup
    for (; left > 0; left--) one_task(branch(d, left), depth);
    return;
  }
  for (; left > 0; left--) one_task(branch(d, left), depth);
  if (wait == 1) {
#pragma omp taskwait
  }
}

// Where root threads come and go, tasks that reduce spoil the memory of LLVM's runtime.
static int tasks_reduce(void) { return !may('r'); }

void some_taskloop(dice d, int depth) {
  int end = 1 + below(&d, 20), size = 1 + below(&d, 5), sum = 0;
  switch (below(&d, 5)) {
    case 0:
#pragma omp taskloop grainsize(size)
      for (int i = 0; i < end; i++) inner_steps(branch(d, i), depth);
      break;
    case 1:
#pragma omp taskloop num_tasks(size) nogroup
      for (int i = 0; i < end; i++) leaf(branch(d, i));
      break;
    case 2:
      if (!tasks_reduce()) break;
#pragma omp taskloop reduction(+ : sum)
      for (int i = 0; i < end; i++) sum += i;
      break;
    case 3:
#pragma omp taskloop simd if (size > 2)
      for (int i = 0; i < end; i++) __asm__ volatile("");
      break;
    default:
#pragma omp taskloop collapse(2)
      for (int i = 0; i < size; i++)
        for (int k = 0; k < 3; k++) leaf(branch(d, i + k));
  }
}

// Every task is over before this returns: what it depends on is on the stack.
void some_dependences(dice d, int depth) {
  int place[3] = {0, 0, 0};
  for (int left = 1 + below(&d, 8); left > 0; left--) {
    int *one = &place[below(&d, 3)], *other = &place[below(&d, 3)];
    dice its = branch(d, left);
    switch (below(&d, 5)) {
      case 0:
#pragma omp task depend(out : one[0])
        inner_steps(its, depth);
        break;
      case 3:
#pragma omp task if (0) depend(inout : one[0]) depend(in : other[0])
        inner_steps(its, depth);
        break;
      case 4: {
#pragma omp taskwait depend(in : one[0])
        break;
      }
      case 1:
#pragma omp task depend(in : one[0], other[0])
        leaf(its);
        break;
      default:
#pragma omp task depend(inout : one[0])
        leaf(its);
    }
  }
#pragma omp taskwait
}

void some_reducing_tasks(dice d, int depth) {
  int sum = 0, tasks = 1 + below(&d, 6);
  (void)depth;
  if (!tasks_reduce()) return;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < tasks; i++) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += 1;
      leaf(branch(d, i));
    }
  }
  if (sum != tasks) abort();
}

// Whoever makes the task also ends it, before or after its body has run. Beside other tasks LLVM's
// runtime gets its counts of these wrong.
void some_detached(dice d, int depth) {
  (void)depth;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int left = 1 + below(&d, 3); left > 0; left--) {
    omp_event_handle_t event = 0;
#pragma omp task detach(event)
    leaf(branch(d, left));
    leaf(d);
    omp_fulfill_event(event);
  }
}
