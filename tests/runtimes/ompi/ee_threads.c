// An EELIB whose execution entities are threads, kept between regions; any number, at any level.
#include "ort.h"

#include <sched.h>
#include <stdlib.h>

struct batch {
  struct batch *outer; // what the parent had in its info before
  int left;
};

struct worker {
  struct worker *next;
  struct batch *batch;
  void *secret;
  int number;
};

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static struct worker *idle;

int othr_initialize(int *argc, char ***argv, ort_icvs_t *icvs, ort_caps_t *caps) {
  (void)argc, (void)argv;
  *caps = (ort_caps_t){.supports_nested = 1, .max_levels_supported = -1, .default_numthreads = icvs->nthreads};
  return 0;
}

void othr_finalize(int value) { (void)value; }
int othr_yield(void) { return sched_yield(); }

int othr_request(int entities, int level) {
  (void)level;
  return entities;
}

static void *serve(void *argument) {
  struct worker *me = argument;
  for (;;) {
    pthread_mutex_lock(&pool);
    while (!me->batch) pthread_cond_wait(&moved, &pool);
    pthread_mutex_unlock(&pool);
    ort_ee_dowork(me->number, me->secret);
    pthread_mutex_lock(&pool);
    me->batch->left--;
    me->batch = NULL;
    me->next = idle;
    idle = me;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&pool);
  }
  return NULL;
}

static void give(struct batch *batch, int number, void *secret) {
  pthread_mutex_lock(&pool);
  struct worker *found = idle;
  if (found) idle = found->next;
  int is_new = !found;
  if (is_new) found = calloc(1, sizeof *found);
  found->number = number;
  found->secret = secret;
  found->batch = batch;
  pthread_cond_broadcast(&moved);
  pthread_mutex_unlock(&pool);
  pthread_t thread;
  if (is_new && pthread_create(&thread, NULL, serve, found) != 0) abort();
  if (is_new) pthread_detach(thread);
}

void othr_create(int entities, int level, void *secret, void **info) {
  (void)level;
  struct batch *batch = calloc(1, sizeof *batch);
  batch->outer = *info;
  batch->left = entities;
  *info = batch;
  // The parent is number 0.
  for (int number = 1; number <= entities; number++) give(batch, number, secret);
}

void othr_waitall(void **info) {
  struct batch *batch = *info;
  pthread_mutex_lock(&pool);
  while (batch->left) pthread_cond_wait(&moved, &pool);
  pthread_mutex_unlock(&pool);
  *info = batch->outer;
  free(batch);
}
