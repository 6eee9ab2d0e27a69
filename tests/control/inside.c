// Recording that is switched on inside a region: argv[1] says how. Prints when what was over.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>
#include <ompttrace.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../programs/check.h"

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void spin(int microseconds) {
  long long until = now() + microseconds * 1000LL;
  while (now() < until) {
  }
}

static void say(const char *what) {
#pragma omp critical(say)
  printf("%s %lld\n", what, now());
}

static void start(void) {
  say("before");
  ompt_control(ompttrace_start, 0);
  say("started");
}

static void pause_it(void) { ompt_control(ompttrace_pause, 0); }

static int is(const char *mode, const char *other) { return strcmp(mode, other) == 0; }

// A barrier that begins unseen and ends seen, and work after it.
static void flat(int who) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == who) {
      spin(1000);
      start();
    }
#pragma omp barrier
    spin(500);
  }
}

// The worker is done before recording goes on.
static void closing(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      spin(2000);
      start();
      spin(500);
    }
  }
}

static void nested(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
      {
#pragma omp barrier
        if (omp_get_thread_num() == 1)
          start();
#pragma omp barrier
        spin(500);
      }
    }
#pragma omp barrier
    spin(500);
  }
}

static void task(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      {
        start();
        spin(500);
#pragma omp task
        spin(100);
#pragma omp taskwait
      }
    }
    spin(100);
  }
}

// The worker waits in a barrier when the pause comes, and is out of it when recording goes on.
static void paused(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      spin(2000);
      say("pausing");
      pause_it();
    }
#pragma omp barrier
    spin(500);
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      start();
    spin(500);
  }
}

// A region that is over when recording goes on.
static void over(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      spin(2000);
      say("pausing");
      pause_it();
    }
  }
  start();
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (is(mode, "primary"))
    flat(0);
  if (is(mode, "worker"))
    flat(1);
  if (is(mode, "closing"))
    closing();
  if (is(mode, "nested"))
    nested();
  if (is(mode, "task"))
    task();
  if (is(mode, "paused"))
    paused();
  if (is(mode, "over"))
    over();
  if (is(mode, "between")) {
#pragma omp parallel num_threads(2)
    spin(100);
    start();
  }
  say("joined");
  spin(5000);
  say("forking");
#pragma omp parallel num_threads(2)
  spin(100);
  return finish("inside", 1);
}
