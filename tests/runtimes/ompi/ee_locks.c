// The three kinds of locks (2.2 of the document), for threads and for processes.
#include "inside.h"

int EE(init_lock)(ee_lock_t *lock, int kind) {
  *lock = (ee_lock_t){.kind = kind};
  init_shared_mutex(&lock->mutex);
  init_shared_condition(&lock->free);
  return 0;
}

int EE(destroy_lock)(ee_lock_t *lock) {
  (void)lock;
  return 0;
}

static int take(ee_lock_t *lock, int waits) {
  void *me = lock->kind == ORT_LOCK_NEST ? ort_get_current_task() : NULL;
  pthread_mutex_lock(&lock->mutex);
  int is_mine = lock->count > 0 && lock->kind == ORT_LOCK_NEST && lock->owner == me;
  while (waits && lock->count > 0 && !is_mine) pthread_cond_wait(&lock->free, &lock->mutex);
  int got = lock->count == 0 || is_mine;
  if (got) lock->count++, lock->owner = me;
  pthread_mutex_unlock(&lock->mutex);
  return got ? lock->count : 0;
}

int EE(set_lock)(ee_lock_t *lock) {
  take(lock, 1);
  return 0;
}

int EE(test_lock)(ee_lock_t *lock) { return take(lock, 0); }

int EE(unset_lock)(ee_lock_t *lock) {
  pthread_mutex_lock(&lock->mutex);
  lock->count--;
  pthread_cond_signal(&lock->free);
  pthread_mutex_unlock(&lock->mutex);
  return 0;
}
