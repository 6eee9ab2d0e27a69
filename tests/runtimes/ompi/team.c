// Teams: made of what the EELIB can supply (2.3 of the document), and the one entity that is not its own.
#define _GNU_SOURCE
#include "inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct entity initial;
__thread struct entity *self;
static int default_threads = 4;
int in_league;

void *ort_shared(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  return memory;
}

void ort_unshare(void *memory, size_t bytes) { munmap(memory, bytes); }

void init_shared_mutex(pthread_mutex_t *mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(mutex, &attributes);
}

void init_shared_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(condition, &attributes);
}

int ort_initialize(int *argc, char ***argv, int embedded, int modules, ...) {
  va_list names;
  va_start(names, modules);
  // What a jump must not lose: the names are there.
  for (int at = 0; at < modules; at++) puts(va_arg(names, char *));
  va_end(names);
  count_in_file();
  const char *threads = getenv("OMP_NUM_THREADS");
  if (threads) default_threads = atoi(threads);
  ort_icvs_t icvs = {.nthreads = default_threads - 1};
  ort_caps_t caps = {0};
  if (embedded || EE(initialize)(argc, argv, &icvs, &caps) != 0) abort();
  initial.task = &initial.implicit;
  self = &initial;
  return 1;
}

void ort_finalize(int value) {
  EE(finalize)(value);
#ifdef AVOID_OMPI_DEFAULT_TASKS
  EE(tasks_are_over)();
#endif
  fflush(NULL);
  // As OMPi's: nothing else is called.
  _exit(value);
}

void ort_ee_dowork(int number, void *secret) {
  struct team *team = secret;
  struct entity me = {.team = team, .outer = self, .number = number, .level = team->level};
  me.task = &me.implicit;
  self = &me;
  if (number > 0) counted(COUNT_entities);
  counted(in_league && team->level == 1 ? COUNT_teams : COUNT_implicit_tasks);
  team->function(team->shared);
  ort_taskwait(1);
  self = me.outer;
}

static struct team *new_team(outlined function, void *shared, int size) {
  struct team *team = ort_shared(sizeof *team);
  team->function = function;
  // Without data of its own a region has those of the region around it.
  team->shared = shared || !self->team ? shared : self->team->shared;
  team->parent = self;
  team->size = size;
  team->level = self->level + 1;
  init_shared_mutex(&team->mutex);
  init_shared_condition(&team->moved);
#ifdef AVOID_OMPI_DEFAULT_BARRIER
  EE(barrier_init)(&team->barrier, size);
  EE(barrier_init)(&team->end, size);
#endif
  return team;
}

static void run(outlined function, void *shared, int size) {
  struct team *team = new_team(function, shared, size);
  struct entity *me = self;
  if (size > 1) counted(COUNT_created);
  if (size > 1) EE(create)(size - 1, me->level + 1, team, &me->info);
  ort_ee_dowork(0, team);
  if (size > 1) EE(waitall)(&me->info);
#ifdef AVOID_OMPI_DEFAULT_BARRIER
  EE(barrier_destroy)(&team->barrier);
  EE(barrier_destroy)(&team->end);
#endif
  ort_unshare(team, sizeof *team);
}

void ort_execute_parallel(outlined function, void *shared, int threads, int combined, int bind) {
  (void)combined, (void)bind;
  counted(COUNT_regions);
  int wanted = threads > 0 ? threads : default_threads;
  run(function, shared, 1 + (wanted > 1 ? EE(request)(wanted - 1, self->level + 1) : 0));
}

void ort_execute_serial(outlined function, void *shared) {
  if (!in_league) counted(COUNT_regions);
  run(function, shared, 1);
}

void *ort_get_current_task(void) { return self->task ? (void *)self->task : (void *)self; }
int omp_get_thread_num(void) { return self->number; }
int omp_get_num_threads(void) { return self->team ? self->team->size : 1; }
int omp_get_max_threads(void) { return default_threads; }
int omp_get_num_teams(void) { return 1; }
int omp_get_team_num(void) { return 0; }
int omp_get_level(void) { return self->level; }
int omp_in_parallel(void) { return self->level > 0; }

int omp_get_ancestor_thread_num(int level) {
  if (level < 0 || level > self->level) return -1;
  struct entity *one = self;
  while (one->level > level) one = one->team->parent;
  return one->number;
}
