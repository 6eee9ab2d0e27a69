// Tasks, as OMPi translates them: code at the place where a task runs at once, and a function where it is queued.
#include "program.h"

#include <stdlib.h>

struct __taskenv__ {
  struct shared *shared;
  int depth;
  long check[3];
};

static void tree(struct shared *shared, int depth);

static void *_taskFunc0_(void *argument) {
  struct __taskenv__ *environment = argument;
  if (environment->check[2] != 42) abort();
  tree(environment->shared, environment->depth);
  ort_taskenv_free(environment, _taskFunc0_);
  return NULL;
}

// A binary tree of tasks.
static void tree(struct shared *shared, int depth) {
  work(shared, 1);
  for (int side = 0; depth > 0 && side < 2; side++) {
    // #pragma omp task
    if (omp_in_final() || ort_task_throttling()) {
      void *task = ort_task_immediate_start(0);
      tree(shared, depth - 1);
      ort_task_immediate_end(task);
    } else {
      struct __taskenv__ *environment = ort_taskenv_alloc(sizeof *environment, _taskFunc0_);
      *environment = (struct __taskenv__){shared, depth - 1, {0, 0, 42}};
      ort_new_task(_taskFunc0_, environment, 0, 0, side, 0, NULL, 0, 0, 0);
    }
  }
  ort_taskwait(0);
}

static void *_taskFunc1_(void *argument) {
  (void)argument;
  return NULL;
}

// #pragma omp task if(condition) final(1), and one that depends on three variables
static void one_by_one(struct shared *shared) {
  struct __taskenv__ *environment = ort_taskenv_alloc(sizeof *environment, _taskFunc0_);
  *environment = (struct __taskenv__){shared, 0, {0, 0, 42}};
  ort_new_task(_taskFunc0_, environment, 1, 1, 0, 0, NULL, 0, 0, 0);
  void *list[] = {&shared->done, &shared->lock, &shared->nest};
  ort_new_task(_taskFunc1_, NULL, 0, 0, 0, 0, list, 1, 1, 1);
  ort_new_task(_taskFunc1_, NULL, 0, 0, 0, 0, NULL, 0, 0, 0);
}

void tasks(struct shared *shared) {
  if (ort_mysingle(0)) {
    ort_entering_taskgroup();
    tree(shared, 6);
    ort_leaving_taskgroup();
    one_by_one(shared);
  }
  ort_leaving_single();
  ort_barrier_me();
  // Many in place, one within the other.
  void *inner[200];
  for (int at = 0; at < 200; at++) inner[at] = ort_task_immediate_start(at % 2);
  for (int at = 200; at-- > 0;) ort_task_immediate_end(inner[at]);
}
