// All that nests in explicit tasks and lets them wait, some of it serialised: what has no event of its own
// must not confuse what is around it.
// run: threads=3 env=OMP_MAX_ACTIVE_LEVELS=2 env=OMP_CANCELLATION=true
#include <omp.h>

#include "../programs/check.h"

static int done;
static omp_lock_t lock;

static void count(void) {
#pragma omp atomic
  done++;
}

// A region that a task begins, of one thread or of two, with work-sharing and tasks of its own.
static void inner(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    count();
#pragma omp masked
    count();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 3; i++) count();
#pragma omp sections
    {
      count();
#pragma omp section
#pragma omp critical
      count();
    }
#pragma omp task
    {
      omp_set_lock(&lock);
      count();
      omp_unset_lock(&lock);
    }
#pragma omp taskwait
  }
}

static void groups(void) {
  int before = 0, after = 0;
#pragma omp taskgroup
  {
#pragma omp taskloop grainsize(2)
    for (int i = 0; i < 6; i++) count();
#pragma omp task depend(out : before)
    before++;
#pragma omp task depend(in : before) depend(out : after)
    {
      after = before;
      inner(1);
    }
#pragma omp taskwait depend(in : after)
#pragma omp task untied
    {
      count();
#pragma omp taskyield
      count();
    }
#pragma omp task if (0)
    inner(1);
  }
}

static void cancelled(void) {
#pragma omp taskgroup
  for (int i = 0; i < 4; i++) {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
  }
#pragma omp parallel num_threads(2)
#pragma omp for
  for (int i = 0; i < 4; i++) {
#pragma omp cancel for
  }
}

static int reduced(void) {
  int sum = 0;
#pragma omp parallel for ordered reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 4; i++) {
#pragma omp ordered
    sum += i;
  }
  return sum;
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp taskloop num_tasks(3)
    for (int k = 0; k < 6; k++) count();
#pragma omp task
    groups();
#pragma omp task
    inner(2);
#pragma omp task
    cancelled();
  }
  // Here runtimes name the outer region's implicit task for what is in the inner one.
#pragma omp parallel num_threads(1)
#pragma omp task
  inner(1);
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
  count();
  int sum = reduced();
  omp_destroy_lock(&lock);
  return finish("constructs", sum == 6 && done > 0);
}
