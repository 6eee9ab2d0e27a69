// An EELIB that brings its own barriers (3.2 of the document). The whole runtime is compiled with
// AVOID_OMPI_DEFAULT_BARRIER.
#include "../ompi/inside.h"

void EE(barrier_init)(ee_barrier_t *barrier, int entities) {
  *barrier = (ee_barrier_t){.size = entities};
  init_shared_mutex(&barrier->mutex);
  init_shared_condition(&barrier->moved);
}

void EE(barrier_wait)(ee_barrier_t *barrier, int number) {
  (void)number;
  counted(COUNT_library_barriers);
  pthread_mutex_lock(&barrier->mutex);
  int generation = barrier->generation;
  if (++barrier->arrived == barrier->size) {
    barrier->arrived = 0;
    barrier->generation++;
    pthread_cond_broadcast(&barrier->moved);
  }
  while (barrier->generation == generation) pthread_cond_wait(&barrier->moved, &barrier->mutex);
  pthread_mutex_unlock(&barrier->mutex);
}

void EE(barrier_destroy)(ee_barrier_t *barrier) { (void)barrier; }
