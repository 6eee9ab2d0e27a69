// The runtime: teams of POSIX threads, and every event of the Collector API's paper where it happens.
//
// It counts what it sends, by event, into the file that COLLECTOR_COUNTS names (a shared mapping, so
// that a killed process has counted as well). COLLECTOR_RUNTIME is a list of habits that the paper
// allows or that a real runtime has:
//   padded   parameters lie as in a C struct, a pointer behind an int at byte 8
//   signed   sizes of entries are read as signed bytes
//   no-idle  idleness is not supported
//   mute     CURRENT_PRID sets no error code, and PARENT_PRID says the same region
//   double   the begin of an ordered region is sent twice in a row
#define _GNU_SOURCE
#include "collector.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { START, REGISTER, UNREGISTER, STATE, CURRENT_PRID, PARENT_PRID, STOP, PAUSE, RESUME };
enum { OK, ERROR, UNKNOWN, UNSUPPORTED, SEQUENCE_ERR, OBSOLETE, THREAD_ERR, MEM_TOO_SMALL };
enum {
  FORK = 1, JOIN, BEGIN_IDLE, END_IDLE, BEGIN_IBAR, END_IBAR, BEGIN_EBAR, END_EBAR, BEGIN_LKWT,
  END_LKWT, BEGIN_CTWT, END_CTWT, BEGIN_ODWT, END_ODWT, BEGIN_MASTER, END_MASTER, BEGIN_SINGLE,
  END_SINGLE, BEGIN_ORDERED, END_ORDERED, BEGIN_ATWT, END_ATWT, EVENTS
};
enum { OVHD = 1, WORK, IBAR, EBAR, IDLE, SERIAL, REDUC, LKWT, CTWT, ODWT, ATWT };

// ---- teams

struct team {
  unsigned long region, parent;
  int size, at_barrier, generation, left, singles;
  void (*body)(void *);
  void *argument;
  pthread_mutex_t mutex;
  pthread_cond_t moved;
};

struct worker {
  struct worker *next;
  struct team *job;
  int number;
};

struct self {
  struct team *team;
  int number, singles, state;
  uintptr_t waits_for;
};

static __thread struct self self = {.state = SERIAL};

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct worker *idle;
static int busy; // workers that are not in that list

// ---- the interface

static int started, paused, padded, is_signed, no_idle, is_mute, is_double;
static void (*callbacks[EVENTS])(int);
static uint64_t nowhere[EVENTS];
static uint64_t *counts = nowhere;

static void send(int event) {
  void (*callback)(int) = __atomic_load_n(&callbacks[event], __ATOMIC_ACQUIRE);
  if (!started || paused || !callback) return;
  __atomic_fetch_add(&counts[event], 1, __ATOMIC_RELAXED);
  callback(event);
}

static int wait_begins(int state, const void *what, int event) {
  int before = self.state;
  self.waits_for = (uintptr_t)what;
  self.state = state;
  send(event);
  return before;
}

static void wait_ends(int before, int event) {
  send(event);
  self.state = before;
}

struct entry {
  int size, request, code, returned;
  char memory[];
};

static int second(void) { return padded ? 8 : 4; }

static int is_supported(int event) { return !no_idle || (event != BEGIN_IDLE && event != END_IDLE); }

static int set_callback(struct entry *e, int room, int with_callback) {
  int event;
  void (*callback)(int) = NULL;
  if (room < (with_callback ? second() + 8 : 4)) return ERROR;
  memcpy(&event, e->memory, 4);
  if (with_callback) memcpy(&callback, e->memory + second(), 8);
  if (event < FORK || event >= EVENTS) return UNKNOWN;
  if (!is_supported(event)) return UNSUPPORTED;
  __atomic_store_n(&callbacks[event], callback, __ATOMIC_RELEASE);
  return OK;
}

static int give(struct entry *e, int room, int bytes) {
  e->returned = bytes;
  return room < bytes ? MEM_TOO_SMALL : OK;
}

static int give_state(struct entry *e, int room) {
  int state = self.state, waits = (state >= LKWT || state == IBAR || state == EBAR);
  int code = give(e, room, waits ? second() + 8 : 4);
  if (code != OK) return code;
  memcpy(e->memory, &state, 4);
  if (waits) memcpy(e->memory + second(), &self.waits_for, 8);
  return OK;
}

static int give_region(struct entry *e, int room, unsigned long region) {
  int code = give(e, room, 8);
  if (code == OK) memcpy(e->memory, &region, 8);
  return code;
}

static int answer(struct entry *e, int room) {
  if (e->request < START || e->request > RESUME) return UNKNOWN;
  if ((e->request == START) == started) return SEQUENCE_ERR;
  switch (e->request) {
  case START:
    started = 1, paused = 0;
    return OK;
  case STOP:
    started = 0;
    memset(callbacks, 0, sizeof callbacks);
    return OK;
  case PAUSE: paused = 1; return OK;
  case RESUME: paused = 0; return OK;
  case REGISTER: return set_callback(e, room, 1);
  case UNREGISTER: return set_callback(e, room, 0);
  case STATE: return give_state(e, room);
  case CURRENT_PRID: return give_region(e, room, rt_region());
  }
  if (self.team && self.number != 0) return THREAD_ERR;
  return give_region(e, room, !self.team ? 0 : is_mute ? self.team->region : self.team->parent);
}

__attribute__((visibility("default"))) int __omp_collector_api(void *list) {
  if (!list) return -1;
  for (char *at = list;;) {
    struct entry *e = (struct entry *)at;
    int size = is_signed ? *(signed char *)at : e->size;
    if (size == 0) return 0;
    if (size < 16 || size % 4 != 0) return -1;
    e->returned = 0;
    int code = answer(e, size - 16);
    if (!is_mute || e->request != CURRENT_PRID) e->code = code;
    at += size;
  }
}

static pid_t process; // that has the threads

__attribute__((constructor)) static void begin(void) {
  process = getpid();
  const char *habits = getenv("COLLECTOR_RUNTIME"), *file = getenv("COLLECTOR_COUNTS");
  padded = habits && strstr(habits, "padded");
  is_signed = habits && strstr(habits, "signed");
  no_idle = habits && strstr(habits, "no-idle");
  is_mute = habits && strstr(habits, "mute");
  is_double = habits && strstr(habits, "double");
  if (!file) return;
  int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || ftruncate(fd, sizeof nowhere) != 0) abort();
  counts = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (counts == MAP_FAILED) abort();
  close(fd);
}

// ---- regions

static void meet(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  int generation = team->generation;
  if (++team->at_barrier == team->size) {
    team->at_barrier = 0;
    team->generation++;
    pthread_cond_broadcast(&team->moved);
  }
  while (team->generation == generation) pthread_cond_wait(&team->moved, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static void barrier(int state, int event) {
  int before = wait_begins(state, &self.team->at_barrier, event);
  meet(self.team);
  wait_ends(before, event + 1);
}

static void run(struct team *team, int number) {
  struct self before = self;
  self = (struct self){team, number, 0, WORK, 0};
  // The end of idleness is reported inside the team: a collector may ask for the region in it.
  if (number) send(END_IDLE);
  team->body(team->argument);
  barrier(IBAR, BEGIN_IBAR);
  self = before;
  pthread_mutex_lock(&team->mutex);
  team->left++;
  pthread_cond_broadcast(&team->moved);
  pthread_mutex_unlock(&team->mutex);
}

static void *serve(void *argument) {
  struct worker *me = argument;
  self.state = IDLE;
  for (;;) {
    pthread_mutex_lock(&pool);
    while (!me->job) pthread_cond_wait(&work, &pool);
    pthread_mutex_unlock(&pool);
    run(me->job, me->number);
    send(BEGIN_IDLE);
    pthread_mutex_lock(&pool);
    me->job = NULL;
    me->next = idle;
    idle = me;
    busy--;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&pool);
  }
  return NULL;
}

static void *serve_first(void *argument) {
  self.state = IDLE;
  send(BEGIN_IDLE);
  return serve(argument);
}

static void hand_out(struct team *team, int number) {
  pthread_mutex_lock(&pool);
  struct worker *found = idle;
  if (found) idle = found->next;
  int is_new = !found;
  if (is_new) found = calloc(1, sizeof *found);
  busy++;
  found->number = number;
  found->job = team;
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&pool);
  pthread_t thread;
  if (is_new && pthread_create(&thread, NULL, serve_first, found) != 0) abort();
  if (is_new) pthread_detach(thread);
}

void rt_parallel(int threads, void (*body)(void *), void *argument) {
  static unsigned long regions;
  struct team team = {
      .region = __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED),
      .parent = rt_region(),
      .size = threads,
      .body = body,
      .argument = argument,
      .mutex = PTHREAD_MUTEX_INITIALIZER,
      .moved = PTHREAD_COND_INITIALIZER,
  };
  struct self before = self;
  self = (struct self){&team, 0, 0, OVHD, 0};
  send(FORK);
  for (int number = 1; number < threads; number++) hand_out(&team, number);
  run(&team, 0);
  pthread_mutex_lock(&team.mutex);
  while (team.left < threads) pthread_cond_wait(&team.moved, &team.mutex);
  pthread_mutex_unlock(&team.mutex);
  self = before;
  send(JOIN);
}

int rt_is_observed(void) { return __atomic_load_n(&callbacks[END_ATWT], __ATOMIC_ACQUIRE) != NULL; }
int rt_thread_num(void) { return self.number; }
int rt_num_threads(void) { return self.team ? self.team->size : 1; }
unsigned long rt_region(void) { return self.team ? self.team->region : 0; }

// A process that ends waits until its workers have said that they are idle.
__attribute__((destructor)) static void end(void) {
  // A forked child has none.
  if (process != getpid()) return;
  pthread_mutex_lock(&pool);
  while (busy) pthread_cond_wait(&work, &pool);
  pthread_mutex_unlock(&pool);
}

// ---- inside of regions

void rt_barrier(void) { barrier(EBAR, BEGIN_EBAR); }
void rt_implicit_barrier(void) { barrier(IBAR, BEGIN_IBAR); }

static void take(rt_lock *lock, int state, int event) {
  if (pthread_mutex_trylock(&lock->mutex) == 0) return;
  int before = wait_begins(state, lock, event);
  __atomic_fetch_add(&lock->waiting, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock->mutex);
  __atomic_fetch_sub(&lock->waiting, 1, __ATOMIC_SEQ_CST);
  wait_ends(before, event + 1);
}

void rt_set_lock(rt_lock *lock) { take(lock, LKWT, BEGIN_LKWT); }
void rt_critical(rt_lock *lock) { take(lock, CTWT, BEGIN_CTWT); }
void rt_atomic(rt_lock *lock) { take(lock, ATWT, BEGIN_ATWT); }
void rt_unlock(rt_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
int rt_waiting(rt_lock *lock) { return __atomic_load_n(&lock->waiting, __ATOMIC_SEQ_CST); }

static long turn;
static int queue;

void rt_ordered_loop(void) { __atomic_store_n(&turn, 0, __ATOMIC_SEQ_CST); }
int rt_waiting_for_order(void) { return __atomic_load_n(&queue, __ATOMIC_SEQ_CST); }

void rt_ordered(long iteration) {
  if (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != iteration) {
    int before = wait_begins(ODWT, &turn, BEGIN_ODWT);
    __atomic_fetch_add(&queue, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != iteration) sched_yield();
    __atomic_fetch_sub(&queue, 1, __ATOMIC_SEQ_CST);
    wait_ends(before, END_ODWT);
  }
  send(BEGIN_ORDERED);
  if (is_double) send(BEGIN_ORDERED);
}

void rt_end_ordered(void) {
  send(END_ORDERED);
  __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}

int rt_master(void) {
  if (self.number) return 0;
  send(BEGIN_MASTER);
  return 1;
}

void rt_end_master(void) { send(END_MASTER); }

// Every thread enters it, one carries it out: the others' begins have no end, as with a real runtime.
int rt_single(void) {
  int nth = self.singles++;
  send(BEGIN_SINGLE);
  return __atomic_compare_exchange_n(&self.team->singles, &nth, nth + 1, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

void rt_end_single(void) { send(END_SINGLE); }
