// Mutexes that nobody waits for, and mutexes that somebody waits for: how often that was reported to the collector
// (sun.c, which is asked) is printed for locks and critical sections.
//
//   waits free          each thread has mutexes of its own, or is alone
//   waits held ROUNDS   one thread holds a mutex until another was reported to wait for it
//   waits many LOCKS    one thread holds so many locks at a time
// run: threads=2
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEGIN_LKWT = 9, BEGIN_CTWT = 11 };
extern unsigned long sun_events(int event) __attribute__((weak));

static omp_lock_t own[2], shared;
static omp_nest_lock_t nest[2], shared_nest;
static pthread_barrier_t inside;
static long sum;

static void tested(omp_lock_t *lock) {
  if (omp_test_lock(lock)) omp_unset_lock(lock);
}

// Set again by its owner, which is no wait, and given back in between.
static void nested(omp_nest_lock_t *lock) {
  omp_set_nest_lock(lock), omp_set_nest_lock(lock);
  omp_unset_nest_lock(lock), omp_unset_nest_lock(lock);
}

static void free_ones(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 100; round++) {
    int me = omp_get_thread_num();
    omp_set_lock(&own[me]), omp_unset_lock(&own[me]);
    tested(&own[me]), nested(&nest[me]);
    // One after the other has the same ones.
    for (int turn = 0; turn < 2; turn++) {
      if (turn == me) {
        omp_set_lock(&shared), omp_unset_lock(&shared);
        nested(&shared_nest);
#pragma omp critical
        sum++;
      }
#pragma omp barrier
    }
  }
}

// Until one more event has come, or for as long as nobody would wait.
static void until_reported(int event, unsigned long before) {
  for (int tries = 0; tries < 20000 && sun_events(event) == before; tries++) usleep(1000);
}

static void held_once(int me) {
  unsigned long locks = sun_events(BEGIN_LKWT), criticals = sun_events(BEGIN_CTWT);
  if (me == 0) omp_set_lock(&shared);
#pragma omp barrier
  if (me == 0) until_reported(BEGIN_LKWT, locks);
  else omp_set_lock(&shared);
  omp_unset_lock(&shared);
#pragma omp barrier
  locks = sun_events(BEGIN_LKWT);
  if (me == 0) omp_set_nest_lock(&shared_nest);
#pragma omp barrier
  if (me == 0) until_reported(BEGIN_LKWT, locks);
  else omp_set_nest_lock(&shared_nest);
  omp_unset_nest_lock(&shared_nest);
#pragma omp barrier
  if (me == 1) pthread_barrier_wait(&inside);
#pragma omp critical
  if (me == 0) {
    pthread_barrier_wait(&inside);
    until_reported(BEGIN_CTWT, criticals);
  }
#pragma omp barrier
}

static void held(int rounds) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < rounds; round++) held_once(omp_get_thread_num());
}

static void many(int count) {
  omp_lock_t *locks = calloc(count, sizeof *locks);
  for (int i = 0; i < count; i++) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(1)
  for (int i = 0; i < count; i++) omp_set_lock(&locks[i]);
  for (int i = 0; i < count; i++) omp_unset_lock(&locks[i]);
  free(locks);
}

int main(int count, char **words) {
  if (!sun_events) return 2;
  int number = count > 2 ? atoi(words[2]) : 0;
  for (int i = 0; i < 2; i++) omp_init_lock(&own[i]), omp_init_nest_lock(&nest[i]);
  omp_init_lock(&shared), omp_init_nest_lock(&shared_nest);
  pthread_barrier_init(&inside, NULL, 2);
  if (count > 1 && strcmp(words[1], "free") == 0) free_ones();
  if (count > 1 && strcmp(words[1], "held") == 0) held(number);
  if (count > 1 && strcmp(words[1], "many") == 0) many(number);
  unsigned long *overflows = dlsym(RTLD_DEFAULT, "ompttrace_collector_overflows");
  printf("%lu %lu %lu\n", sun_events(BEGIN_LKWT), sun_events(BEGIN_CTWT), overflows ? *overflows : 0);
  return 0;
}
