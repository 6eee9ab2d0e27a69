// A collector as the Collector API's paper describes one, preloaded into a program: it asks the dynamic
// linker for the runtime's symbol, starts it, registers for all events, asks in each what it is about,
// and takes samples of state and region in a signal handler, 1,000 a second on every thread.
//
// It knows nothing of who is behind the interface. What it saw is in the file that SUN_COUNTS names:
// 64-bit words, drawn in `struct seen`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { START, REGISTER, UNREGISTER, STATE, CURRENT_PRID, PARENT_PRID, STOP, PAUSE, RESUME };
enum { FORK = 1, JOIN, EVENTS = 23, STATES = 16 };

struct seen {
  uint64_t events[32];
  uint64_t states[STATES]; // of samples, by state
  uint64_t samples;
  uint64_t refused;    // samples that were not answered, or not with a state of the paper
  uint64_t wrong;      // states in an event that are not the event's
  uint64_t wrong_prid; // regions in an event that cannot be
  uint64_t registered; // a bit for each event that was accepted
  uint64_t start;      // what START answered, plus one
  uint64_t last_wrong; // event << 32 | state
};

static struct seen nowhere, *seen = &nowhere;
static int (*api)(void *);

// Requests of one entry or two, as the paper draws them. Everything lies on the stack: some of it is
// done in a signal handler.
struct state_entry {
  int size, request, code, returned, state, low, high, unused;
};
struct region_entry {
  int size, request, code, returned;
  uint64_t region;
};

static int ask(int request, uint64_t *region) {
  struct { struct region_entry e; int end; } list = {{24, request, -1, 0, 0}, 0};
  if (api(&list) != 0) return -1;
  *region = list.e.region;
  return list.e.code;
}

static int ask_both(int *state, uint64_t *wait_id, uint64_t *region) {
  struct { struct state_entry s; struct region_entry r; int end; } list = {
      {32, STATE, -1, 0, 0, 0, 0, 0}, {24, CURRENT_PRID, -1, 0, 0}, 0};
  if (api(&list) != 0 || list.s.code != 0 || list.r.code != 0 || list.r.returned != 8) return -1;
  *state = list.s.state;
  *wait_id = (uint64_t)(uint32_t)list.s.high << 32 | (uint32_t)list.s.low;
  *region = list.r.region;
  return 0;
}

static void count(uint64_t *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void sample(int signal) {
  (void)signal;
  int state = 0;
  uint64_t wait_id, region;
  count(&seen->samples);
  int answered = ask_both(&state, &wait_id, &region) == 0;
  if (!answered || state < 1 || state > 11) return count(&seen->refused);
  // Serial and idle threads are in no region.
  if ((state == 5 || state == 6) && region != 0) return count(&seen->refused);
  count(&seen->states[state]);
}

static __thread int has_timer __attribute__((tls_model("initial-exec")));

static void time_me(void) {
  if (has_timer) return;
  has_timer = 1;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event._sigev_un._tid = gettid();
  timer_t timer;
  struct itimerspec often = {{0, 1000000}, {0, 1000000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) abort();
  timer_settime(timer, 0, &often, NULL);
}

// The state that an event leads into or out of; 0: none, or one that it does not change.
static const int state_of[EVENTS] = {0, 0, 0, 5, 0, 3, 3, 4, 4, 8, 8, 9, 9, 10, 10,
                                     0, 0, 0, 0, 0, 0, 11, 11};

static void on_event(int event) {
  int state = 0;
  uint64_t wait_id = 0, region = 0, parent = 0;
  if (event < FORK || event >= EVENTS) abort();
  count(&seen->events[event]);
  if (ask_both(&state, &wait_id, &region) != 0) return count(&seen->refused);
  int waits = state == 3 || state == 4 || state >= 8;
  if ((state_of[event] && state != state_of[event]) || (waits && wait_id == 0)) {
    count(&seen->wrong);
    seen->last_wrong = (uint64_t)event << 32 | (uint64_t)state;
  }
  int is_master = ask(PARENT_PRID, &parent) == 0;
  if (event == FORK && (region == 0 || !is_master || parent >= region)) count(&seen->wrong_prid);
  if (event == 3 && region != 0) count(&seen->wrong_prid);
  if (event == 4 && region == 0) count(&seen->wrong_prid);
  time_me();
}

static int simple(int request) {
  int list[5] = {16, request, -1, 0, 0};
  return api(list) == 0 ? list[2] : -1;
}

static int register_for(int event) {
  int list[8] = {28, REGISTER, -1, 0, event};
  void (*callback)(int) = on_event;
  memcpy(&list[5], &callback, 8);
  return api(list) == 0 ? list[2] : -1;
}

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("SUN_COUNTS");
  api = (int (*)(void *))dlsym(RTLD_DEFAULT, "__omp_collector_api");
  if (!file || !api) return;
  int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || ftruncate(fd, sizeof *seen) != 0) abort();
  seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (seen == MAP_FAILED) abort();
  struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  seen->start = simple(START) + 1;
  for (int event = FORK; event < EVENTS; event++)
    if (register_for(event) == 0) seen->registered |= 1ull << event;
  time_me();
}

// For programs that want to run until they were looked at often enough: so many times, and in work,
// implicit barriers, idleness, serial code and a wait for a critical section; or far too often.
__attribute__((visibility("default"))) int sun_is_satisfied(unsigned long samples) {
  static const int wanted[] = {2, 3, 5, 6, 9};
  int found = 0;
  for (int i = 0; i < 5; i++) found += seen->states[wanted[i]] > 0;
  return (seen->samples >= samples && found == 5) || seen->samples >= 40 * samples;
}

// How often an event came so far.
__attribute__((visibility("default"))) unsigned long sun_events(int event) {
  return __atomic_load_n(&seen->events[event], __ATOMIC_RELAXED);
}
