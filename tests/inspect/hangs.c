// Hangs in the way that its argument says; tests/inspect.rs knows locations by the words behind HERE.
// run: threads=4 exit=0
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"

static omp_lock_t a, b;
static int x, y;
static volatile int never;

#define NOINLINE static __attribute__((noinline)) void

NOINLINE spin(void) {
  while (!never) usleep(1000); // HERE spin
}

NOINLINE barrier(void) {
#pragma omp parallel num_threads(4) // HERE barrier region
  {
    if (omp_get_thread_num() == 2)
#pragma omp critical(update) // HERE critical
      spin();
#pragma omp barrier // HERE barrier
#pragma omp atomic
    x++;
  }
  y++;
}

NOINLINE contended(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp critical(update) // HERE contended
    spin();
#pragma omp atomic
    x++;
  }
}

// Each has its own lock when it asks for the other's.
NOINLINE locks(void) {
#pragma omp parallel num_threads(2)
  {
    omp_lock_t *first = omp_get_thread_num() ? &a : &b, *second = omp_get_thread_num() ? &b : &a;
    omp_set_lock(first); // HERE first lock
#pragma omp barrier
    omp_set_lock(second); // HERE second lock
    omp_unset_lock(second);
    omp_unset_lock(first);
  }
}

// The first task waits for what only the second one does, which depends on the first.
NOINLINE tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x) // HERE first task
    {
      spin();
      x = 1;
    }
#pragma omp task depend(in : x) // HERE second task
    {
      y = x;
      never = 1;
    }
#pragma omp taskwait // HERE taskwait
    y++;
  }
}

// The task holds what its child asks for, and waits for the child; some other thread may run that.
NOINLINE held(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task untied // HERE parent
    {
      omp_set_lock(&a); // HERE held lock
#pragma omp task // HERE child
      {
        omp_set_lock(&a); // HERE asked lock
        omp_unset_lock(&a);
      }
#pragma omp taskwait // HERE wait for child
      omp_unset_lock(&a);
    }
  }
}

NOINLINE nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) // HERE outer region
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) // HERE inner region
    {
      if (outer == 1 && omp_get_thread_num() == 1) spin();
#pragma omp barrier // HERE inner barrier
#pragma omp atomic
      x++;
    }
    y++;
  }
  y++;
}

int main(int count, char **arguments) {
  const struct {
    const char *name;
    void (*hang)(void);
  } all[] = {{"barrier", barrier}, {"contended", contended}, {"locks", locks},
             {"tasks", tasks},     {"held", held},           {"nested", nested}};
  // A test that forgets it shall fail and not wait.
  alarm(120);
  omp_init_lock(&a);
  omp_init_lock(&b);
  for (unsigned at = 0; at < sizeof all / sizeof *all; at++)
    if (count > 1 && strcmp(arguments[1], all[at].name) == 0) all[at].hang();
  return finish("hangs", 0);
}
