// Phases from ompttrace.h: nested, with iterations, in a team, over a pause, in a killed program. C99 and C++.
// run: threads=2
#include <ompttrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/check.h"

static int threads;

/* Not inlined: a function with a construct calls the runtime where it begins. */
__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

static void nested(void) {
  ompttrace_phase_begin("solve");
  region();
  for (int step = 0; step < 3; step++) {
    ompttrace_iteration((uint64_t)step);
    ompttrace_phase_begin("exchange of the borders of all blocks");
    region();
    ompttrace_phase_end();
  }
  ompttrace_phase_end();
#pragma omp parallel num_threads(2) reduction(+ : threads)
  {
    ompttrace_phase_begin("in a team");
    threads++;
    ompttrace_phase_end();
  }
  /* None is open. */
  ompttrace_phase_end();
  ompttrace_iteration(7);
}

static void first(void) {
  ompttrace_phase_begin("before any construct");
  ompttrace_phase_end();
  region();
}

static void paused(void) {
  region();
  ompttrace_phase_begin("through it");
  ompttrace_phase_begin("ends in it");
  ompt_control(ompttrace_pause, 0);
  ompttrace_phase_end();
  ompttrace_phase_begin("in it");
  ompttrace_phase_end();
  ompttrace_phase_begin("begins in it");
  ompt_control(ompttrace_start, 0);
  region();
  ompttrace_phase_end();
  ompttrace_phase_end();
}

static void deep(void) {
  region();
  for (int depth = 0; depth < 20; depth++) ompttrace_phase_begin("deeper");
  for (int depth = 0; depth < 20; depth++) ompttrace_phase_end();
  ompttrace_phase_begin(0);
  ompttrace_phase_end();
}

static void late(void) {
  ompttrace_phase_begin("before");
  ompttrace_phase_begin("nothing is there yet");
  ompttrace_phase_end();
  threads += dlopen(getenv("LATE_TOOL"), RTLD_NOW | RTLD_LOCAL) != 0;
  ompttrace_phase_begin("after");
  ompttrace_phase_end();
  ompttrace_phase_end();
}

static void killed(void) {
  region();
  ompttrace_phase_begin("outer");
  ompttrace_phase_begin("inner");
  ompttrace_iteration(41);
  ompttrace_iteration(42);
  region();
  raise(SIGKILL);
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "nested";
  if (strcmp(mode, "nested") == 0) nested();
  if (strcmp(mode, "first") == 0) first();
  if (strcmp(mode, "paused") == 0) paused();
  if (strcmp(mode, "deep") == 0) deep();
  if (strcmp(mode, "late") == 0) late();
  if (strcmp(mode, "killed") == 0) killed();
  return finish("marks", threads > 0);
}
