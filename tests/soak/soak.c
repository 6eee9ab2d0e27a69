// `soak SEED ENDING ALLOWED`: takes steps that the seed decides and ends in the way that is named.
// run: threads=3
#include "soak.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "../programs/check.h"

enum { DEPTH = 3 };

int volatile recording = 1;
const char *self;

static void exits(void) { exit(5); }
static void exits_at_once(void) { _exit(6); }
static void exits_quickly(void) { quick_exit(8); }
static void raises_term(void) { kill(getpid(), SIGTERM); }
static void faults(void) { *(volatile int *)NULL = 1; }

// A team thread or a task of its own does `what`; the other threads go on without end.
static void in_region(dice d, int by_task, void (*what)(void)) {
  int who = below(&d, 3);
#pragma omp parallel num_threads(3)
  {
    dice own = branch(d, omp_get_thread_num());
    inner_steps(own, 2);
#pragma omp barrier
    if (omp_get_thread_num() == who) {
#pragma omp task if (by_task)
      {
        leaf(own);
        what();
      }
    }
    for (;;) {
      give_work(10);
      inner_steps(roll(&own), 1);
      usleep(100);
    }
  }
}

static void until_killed(dice d) {
  for (;;) {
    give_work(120);
    region(roll(&d), DEPTH);
  }
}

static void *lasting_root(void *ready) {
  region(1, 1);
  __atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
  for (;;) pause();
}

static int root_lives(void) {
  static int ready;
  pthread_t thread;
  pthread_create(&thread, NULL, lasting_root, &ready);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) usleep(100);
  return 3;
}

static int ends_recording(dice d) {
  start_runtime();
  give_command(omp_control_tool_end, 0);
  recording = 0;
  region(d, DEPTH);
  return 3;
}

static int end(const char *how, dice d) {
  int by_task = below(&d, 2);
  if (!strcmp(how, "return")) return 3;
  if (!strcmp(how, "exit")) exit(4);
  if (!strcmp(how, "exit in region")) in_region(d, by_task, exits);
  if (!strcmp(how, "_exit")) in_region(d, by_task, exits_at_once);
  if (!strcmp(how, "quick_exit")) in_region(d, by_task, exits_quickly);
  if (!strcmp(how, "abort")) in_region(d, by_task, abort);
  if (!strcmp(how, "SIGTERM")) in_region(d, by_task, raises_term);
  if (!strcmp(how, "SIGSEGV")) in_region(d, by_task, faults);
  if (!strcmp(how, "root lives")) return root_lives();
  if (!strcmp(how, "pause hard")) return omp_pause_resource_all(omp_pause_hard) + 3;
  if (!strcmp(how, "control end")) return ends_recording(d);
  if (!strcmp(how, "killed")) until_killed(d);
  return 99;
}

int main(int count, char **arguments) {
  const char *start = getenv("OMPTTRACE_START");
  if (count != 4) return 98;
  self = arguments[0];
  may_only(arguments[3]);
  dice d = strtoull(arguments[1], NULL, 10);
  count_anew();
  make_locks();
  if (start && !strcmp(start, "off")) {
    // Before the runtime has started nobody takes commands.
    recording = 0;
#pragma omp parallel
    leaf(1);
    give_command(omp_control_tool_start, 0);
    recording = 1;
  }
  unusual_steps(branch(d, 7));
  outer_steps(roll(&d), DEPTH);
  finish("soak", 1);
  return end(arguments[2], roll(&d));
}
