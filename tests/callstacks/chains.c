// Regions and tasks under known call chains, which the program says itself: one construct called from
// two call sites, and twice from one, recursion, nesting, tasks of several functions, inactive regions and
// undeferred tasks, an inlined function, a root thread, a library without frame pointers in between.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=3
#define SOURCE __BASE_FILE__
#include "chain.h"
#include <omp.h>
#include <pthread.h>

void through_library(int depth, void (*back)(void));

NOT_INLINED static void solve(void) {
  FUNCTION("solve");
#pragma omp parallel num_threads(2)
  {
    BODY("parallel", 2);
    LEAVE;
  }
  RETURN;
}

NOT_INLINED static void first(void) {
  FUNCTION("first");
  solve();
  RETURN;
}

NOT_INLINED static void second(void) {
  FUNCTION("second");
  solve();
  RETURN;
}

// Two addresses of one line: as a compiler makes them that unrolls a loop.
NOT_INLINED static void on_one_line(void) {
  FUNCTION("on_one_line");
  solve(); solve();
  RETURN;
}

NOT_INLINED static void deeper(int depth) {
  FUNCTION("deeper");
  if (depth > 0) deeper(depth - 1);
  else solve();
  RETURN;
}

NOT_INLINED static void nest(void) {
  FUNCTION("nest");
#pragma omp parallel num_threads(2)
  {
    BODY("parallel", 2);
    solve();
    LEAVE;
  }
  RETURN;
}

NOT_INLINED static void spawn(void) {
  FUNCTION("spawn");
#pragma omp task
  {
    BODY("task", 2);
    LEAVE;
  }
#pragma omp taskwait
  RETURN;
}

NOT_INLINED static void spawn_twice(void) {
  FUNCTION("spawn_twice");
#pragma omp task
  {
    BODY("task", 2);
    spawn();
    LEAVE;
  }
#pragma omp taskwait
  RETURN;
}

NOT_INLINED static void spawn_deep(int depth) {
  FUNCTION("spawn_deep");
#pragma omp task firstprivate(depth)
  {
    BODY("task", 2);
    if (depth > 0) spawn_deep(depth - 1);
    LEAVE;
  }
#pragma omp taskwait
  RETURN;
}

NOT_INLINED static void loop(void) {
  FUNCTION("loop");
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < 2; i++) {
    BODY("task", 2);
    LEAVE;
  }
  RETURN;
}

NOT_INLINED static void tasks(void) {
  FUNCTION("tasks");
#pragma omp parallel num_threads(2)
  {
    BODY("parallel", 2);
#pragma omp single
    {
      spawn();
      spawn_twice();
      spawn_deep(3);
      loop();
    }
    LEAVE;
  }
  RETURN;
}

// Its code runs on top of the frames of whoever encounters it.
NOT_INLINED static void inactive(void) {
  FUNCTION("inactive");
#pragma omp parallel if (0)
  {
    BODY("parallel", 2);
    first();
    LEAVE;
  }
  RETURN;
}

NOT_INLINED static void undeferred(void) {
  FUNCTION("undeferred");
#pragma omp parallel num_threads(2)
  {
    BODY("parallel", 2);
#pragma omp master
    {
      struct link here = inside;
#pragma omp task if (0)
      {
        BODY("task", 2);
        first();
        LEAVE;
      }
    }
    LEAVE;
  }
  RETURN;
}

static inline __attribute__((always_inline)) void inlined(void) {
  FUNCTION("inlined");
  solve();
  RETURN;
}

NOT_INLINED static void with_inlined(void) {
  FUNCTION("with_inlined");
  inlined();
  RETURN;
}

NOT_INLINED static void called_back(void) {
  FUNCTION("called_back");
  solve();
  RETURN;
}

NOT_INLINED static void library(void) {
  FUNCTION("library");
  struct link through = link_in("through_library");
  top = &through;
  struct link step[3];
  for (int i = 0; i < 3; i++) {
    step[i] = link_in("library_step");
    top = &step[i];
  }
  through_library(2, called_back);
  RETURN;
}

static void *root(void *unused) {
  (void)unused;
  FUNCTION("root");
  first();
  RETURN;
  return NULL;
}

int main(void) {
  FUNCTION("main");
  first();
  second();
  on_one_line();
  deeper(4);
  nest();
  tasks();
  inactive();
  undeferred();
  with_inlined();
  library();
  pthread_t thread;
  pthread_create(&thread, NULL, root, NULL);
  pthread_join(thread, NULL);
  RETURN;
  puts("ok chains");
  return 0;
}
