// Tasks of a team in one queue. Memory of tasks that are over is kept by function, as OMPi keeps it.
#include "inside.h"

#include <sched.h>
#include <stdlib.h>

enum { MOST = 16 }; // tasks in a queue, from which on they run at once

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;
static struct task *unused;

#ifdef AVOID_OMPI_DEFAULT_TASKS
void *ort_taskenv_alloc(int bytes, outlined function) { return EE(taskenv_alloc)(bytes, function); }
void ort_taskenv_free(void *data, outlined function) {
  (void)function;
  EE(taskenv_free)(data);
}
#else
// Data of other sizes have other functions.
void *ort_taskenv_alloc(int bytes, outlined function) {
  pthread_mutex_lock(&kept);
  struct task **place = &unused;
  while (*place && (*place)->function != function) place = &(*place)->next;
  struct task *task = *place;
  if (task) *place = task->next;
  pthread_mutex_unlock(&kept);
  if (!task) {
    counted(COUNT_nodes);
    task = calloc(1, sizeof *task);
    task->memory = calloc(1, 16 + bytes);
    ((void **)task->memory)[1] = task;
  }
  return (char *)task->memory + 16;
}

void ort_taskenv_free(void *data, outlined function) { (void)data, (void)function; }
#endif

static void keep(struct task *task) {
  pthread_mutex_lock(&kept);
  task->next = unused;
  unused = task;
  pthread_mutex_unlock(&kept);
}

static void wait_for_children(void);

static void run(struct task *task) {
  struct task *outer = self->task;
  task->children = 0;
  self->task = task;
  task->function((char *)task->memory + 16);
  counted(COUNT_tasks_run);
  wait_for_children();
  self->task = outer;
  __atomic_fetch_sub(&task->parent->children, 1, __ATOMIC_SEQ_CST);
  keep(task);
}

static struct task *take(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  struct task *task = team->first;
  if (task) {
    team->first = task->next;
    team->queued--;
  }
  pthread_mutex_unlock(&team->mutex);
  return task;
}

static int run_one(void) {
  struct task *task = self->team ? take(self->team) : NULL;
  if (task) run(task);
  return task != NULL;
}

#ifndef AVOID_OMPI_DEFAULT_TASKS
static void queue(struct task *task) {
  struct team *team = self->team;
  task->next = NULL;
  pthread_mutex_lock(&team->mutex);
  if (team->first) team->last->next = task;
  else team->first = task;
  team->last = task;
  team->queued++;
  pthread_mutex_unlock(&team->mutex);
}
#endif

int ort_task_throttling(void) {
  struct team *team = self->team;
  return !team || team->size == 1 || __atomic_load_n(&team->queued, __ATOMIC_SEQ_CST) >= MOST;
}

void ort_new_task(outlined function, void *data, int now, int last, int untied, int priority, void **list, int outputs,
                  int inputs, int both) {
  (void)untied, (void)priority, (void)last;
  counted(COUNT_tasks);
  if (now) counted(COUNT_tasks_at_once);
  if (list) counted(COUNT_dependent);
  for (int at = 0; list && at < outputs + inputs + both; at++) counted(COUNT_dependences);
#ifdef AVOID_OMPI_DEFAULT_TASKS
  if (now) EE(new_task_exec)(untied, function, data);
  else EE(new_task)(last, untied, function, data);
#else
  if (!data) data = ort_taskenv_alloc(0, function);
  struct task *task = ((void **)data)[-1];
  task->function = function;
  task->parent = self->task;
  task->is_last = last;
  __atomic_fetch_add(&task->parent->children, 1, __ATOMIC_SEQ_CST);
  int at_once = now || ort_task_throttling();
  if (at_once) run(task);
  else queue(task);
#endif
}

// The task that runs in place has no memory of its own: its children are its parent's.
void *ort_task_immediate_start(int last) {
  (void)last;
  counted(COUNT_tasks_in_place);
#ifdef AVOID_OMPI_DEFAULT_TASKS
  EE(task_immediate_start)(last);
#endif
  return self;
}

void ort_task_immediate_end(void *task) {
  if (task != self) abort();
#ifdef AVOID_OMPI_DEFAULT_TASKS
  EE(task_immediate_end)(task);
#endif
}

int omp_in_final(void) { return self->task->is_last; }

static void wait_for_children(void) {
  while (__atomic_load_n(&self->task->children, __ATOMIC_SEQ_CST) > 0)
    if (!run_one()) sched_yield();
}

void ort_taskwait(int how) {
#ifdef AVOID_OMPI_DEFAULT_TASKS
  EE(taskwait)(how, self->team ? self->team->parent->info : NULL, self->number);
#endif
  if (how == 0) {
    counted(COUNT_taskwaits);
    return wait_for_children();
  }
  while (run_one()) {}
  if (how != 2 || self->team->size == 1) return;
  counted(COUNT_ends);
  meet_at_end(self->team);
  // Those that were made by tasks that ran meanwhile.
  while (run_one()) {}
  meet_at_end(self->team);
}

void ort_entering_taskgroup(void) { counted(COUNT_taskgroups); }
void ort_leaving_taskgroup(void) { wait_for_children(); }
