// Ends in the way that its argument names; the other threads of the team work on where the ending
// lies inside a region.
// run: threads=3
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"
#include "../programs/counted.h"

enum { SOME = 700 };

static void region(void) {
#pragma omp parallel
  counted_times(SOME);
}

// Whether those who work on do nothing else: that soon makes a large trace.
static int hasty;

// Thread `number` of a team does `what` in a region whose other threads go on without end.
static void in_region(int number, void (*what)(void)) {
#pragma omp parallel
  {
    counted_times(SOME);
#pragma omp barrier
    if (omp_get_thread_num() == number) what();
    for (;;) {
      counted();
      if (!hasty) usleep(20);
    }
  }
}

static void *root(void *ready) {
  region();
  __atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
  for (;;) pause();
}

static int root_lives(void) {
  static int ready;
  pthread_t thread;
  pthread_create(&thread, NULL, root, &ready);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) usleep(100);
  return 7;
}

static void nothing(void) {}
static void exits(void) { exit(5); }
static void exits_at_once(void) { _exit(6); }
static void exits_quickly(void) { quick_exit(8); }
static void raises_term(void) { kill(getpid(), SIGTERM); }
static void raises_int(void) { kill(getpid(), SIGINT); }
static void faults(void) { *(volatile int *)NULL = 1; }
static void execs(void) { execl("/bin/echo", "echo", "replaced", (char *)NULL); }

// What comes after the end is not recorded, and so not counted.
static int ends_recording(void) {
  omp_control_tool(omp_control_tool_end, 0, NULL);
#pragma omp parallel
  {
#pragma omp barrier
  }
  return 0;
}

static int end(const char *how) {
  int worker = omp_get_max_threads() - 1;
  if (!strcmp(how, "return")) return 4;
  if (!strcmp(how, "exit")) exit(5);
  if (!strcmp(how, "exit in primary")) in_region(0, exits);
  if (!strcmp(how, "exit in worker")) in_region(worker, exits);
  if (!strcmp(how, "_exit")) in_region(worker, exits_at_once);
  if (!strcmp(how, "quick_exit")) in_region(0, exits_quickly);
  if (!strcmp(how, "abort")) in_region(worker, abort);
  if (!strcmp(how, "SIGTERM")) in_region(0, raises_term);
  if (!strcmp(how, "SIGINT")) in_region(worker, raises_int);
  if (!strcmp(how, "SIGSEGV")) in_region(worker, faults);
  if (!strcmp(how, "exec")) in_region(0, execs);
  if (!strcmp(how, "root lives")) return root_lives();
  if (!strcmp(how, "pthread_exit")) pthread_exit(NULL);
  if (!strcmp(how, "pause soft")) return omp_pause_resource_all(omp_pause_soft);
  if (!strcmp(how, "pause hard")) return omp_pause_resource_all(omp_pause_hard);
  if (!strcmp(how, "control end")) return ends_recording();
  if (!strcmp(how, "killed")) hasty = 1, in_region(0, nothing);
  return 99;
}

int main(int count, char **arguments) {
  own_counts_open();
  region();
  finish("ends", count == 2);
  return end(arguments[1]);
}
