// Barriers, critical sections, atomics, locks, reductions, cancellation.
#include "inside.h"

#include <stdlib.h>

#ifdef AVOID_OMPI_DEFAULT_BARRIER
void meet_at_barrier(struct team *team) { EE(barrier_wait)(&team->barrier, self->number); }
void meet_at_end(struct team *team) { EE(barrier_wait)(&team->end, self->number); }
#else
// Cancelled, they only do at the region's end.
static void meet(struct team *team, struct meeting *barrier) {
  pthread_mutex_lock(&team->mutex);
  int generation = barrier->generation;
  if (++barrier->arrived == team->size) {
    barrier->arrived = 0;
    barrier->generation++;
    pthread_cond_broadcast(&team->moved);
  }
  while (barrier->generation == generation && !(barrier == &team->barrier && team->cancelled[0]))
    pthread_cond_wait(&team->moved, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

void meet_at_barrier(struct team *team) { meet(team, &team->barrier); }
void meet_at_end(struct team *team) { meet(team, &team->end); }
#endif

int ort_barrier_me(void) {
  struct team *team = self->team;
  counted(COUNT_barriers);
  if (!team || team->size == 1) return 0;
  ort_taskwait(1);
  meet_at_barrier(team);
  return team->cancelled[0];
}

void ort_fence(void) {
  counted(COUNT_fences);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// ---- cancellation: 0 parallel, 1 taskgroup, 2 for, 3 sections

int ort_enable_cancel(int what) {
  counted(COUNT_cancels);
  pthread_mutex_lock(&self->team->mutex);
  self->team->cancelled[what] = 1;
  pthread_cond_broadcast(&self->team->moved);
  pthread_mutex_unlock(&self->team->mutex);
#ifdef AVOID_OMPI_DEFAULT_BARRIER
  // The library's barrier knows nothing of it: whoever cancels a region comes to the others' as well.
  if (what == 0 && self->team->size > 1) meet_at_barrier(self->team);
#endif
  return 1;
}

int ort_check_cancel(int what) {
  int cancelled = __atomic_load_n(&self->team->cancelled[what], __ATOMIC_SEQ_CST);
  if (cancelled) counted(COUNT_cancelled);
  return cancelled;
}

// ---- locks

static ee_lock_t *new_lock(int kind) {
  ee_lock_t *lock = ort_shared(sizeof *lock);
  EE(init_lock)(lock, kind);
  return lock;
}

// The lock behind a name; the first that comes makes it.
static ee_lock_t *behind(void **name) {
  void *known = __atomic_load_n(name, __ATOMIC_SEQ_CST), *none = NULL;
  if (known) return known;
  ee_lock_t *lock = new_lock(ORT_LOCK_SPIN);
  if (__atomic_compare_exchange_n(name, &none, lock, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return lock;
  ort_unshare(lock, sizeof *lock);
  return none;
}

static void *atomics;

void ort_critical_begin(void **name) {
  EE(set_lock)(behind(name));
  counted(COUNT_critical);
}

void ort_critical_end(void **name) { EE(unset_lock)(*name); }

void ort_atomic_begin(void) {
  EE(set_lock)(behind(&atomics));
  counted(COUNT_atomic);
}

void ort_atomic_end(void) { EE(unset_lock)(atomics); }

void ort_reduction_begin(void **name) {
  EE(set_lock)(behind(name));
  counted(COUNT_reductions);
}

void ort_reduction_end(void **name) { EE(unset_lock)(*name); }

static void reduce(int *local, int *global, int count) {
  EE(set_lock)(behind(&atomics));
  for (int at = 0; at < count; at++) global[at] += local[at];
  EE(unset_lock)(atomics);
  counted(COUNT_reductions);
}

// Sums all of them: what counts is that they are called.
#define DEFINE(operation) \
  void ort_reduce_##operation(int type, void *local, void *global, int count) { \
    (void)type; \
    reduce(local, global, count); \
  }
REDUCTIONS(DEFINE)

static void make(omp_lock_t *lock, int kind) {
  *lock = new_lock(kind);
  counted(COUNT_locks_made);
}

static void unmake(omp_lock_t *lock) {
  EE(destroy_lock)(*lock);
  ort_unshare(*lock, sizeof(ee_lock_t));
  counted(COUNT_locks_gone);
}

void omp_init_lock(omp_lock_t *lock) { make(lock, ORT_LOCK_NORMAL); }
void omp_init_lock_with_hint(omp_lock_t *lock, unsigned hint) {
  (void)hint;
  make(lock, ORT_LOCK_NORMAL);
}
void omp_init_nest_lock(omp_lock_t *lock) { make(lock, ORT_LOCK_NEST); }
void omp_destroy_lock(omp_lock_t *lock) { unmake(lock); }
void omp_destroy_nest_lock(omp_lock_t *lock) { unmake(lock); }

void omp_set_lock(omp_lock_t *lock) {
  EE(set_lock)(*lock);
  counted(COUNT_locks_set);
}

void omp_unset_lock(omp_lock_t *lock) {
  counted(COUNT_locks_unset);
  EE(unset_lock)(*lock);
}

int omp_test_lock(omp_lock_t *lock) {
  int got = EE(test_lock)(*lock);
  counted(COUNT_locks_tried);
  if (got) counted(COUNT_locks_got);
  return got;
}

static void took(omp_lock_t *lock) {
  counted(((ee_lock_t *)*lock)->count > 1 ? COUNT_nest_locks_again : COUNT_nest_locks_set);
}

void omp_set_nest_lock(omp_lock_t *lock) {
  EE(set_lock)(*lock);
  took(lock);
}

int omp_test_nest_lock(omp_lock_t *lock) {
  int got = EE(test_lock)(*lock);
  if (got) took(lock);
  return got;
}

void omp_unset_nest_lock(omp_lock_t *lock) {
  if (((ee_lock_t *)*lock)->count == 1) counted(COUNT_nest_locks_unset);
  EE(unset_lock)(*lock);
}
