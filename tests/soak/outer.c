// What an initial thread does outside of all regions: regions, teams and target, several roots at a
// time, commands to the tool, other processes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ompttrace.h"
#include "soak.h"

static const char *allowed = "";

int may(char what) { return strchr(allowed, what) != NULL; }

void may_only(const char *what) { allowed = what; }

static void league(dice d, int depth) {
  int teams = 1 + below(&d, 3), end = 1 + below(&d, 20);
  (void)depth;
  switch (below(&d, 3)) {
    case 0:
#pragma omp teams num_teams(teams) thread_limit(3)
      {
        leaf(d);
#pragma omp parallel num_threads(2)
        leaf(branch(d, omp_get_thread_num()));
      }
      break;
    case 1:
#pragma omp teams distribute parallel for num_teams(teams) thread_limit(2) dist_schedule(static, 2)
      for (int i = 0; i < end; i++) leaf(branch(d, i));
      break;
    default:
#pragma omp teams num_teams(teams)
#pragma omp distribute
      for (int i = 0; i < end; i++) leaf(branch(d, i));
  }
}

static void target(dice d, int depth) {
  int data[8] = {0};
  (void)depth;
#pragma omp target map(tofrom : data)
  data[0]++;
#pragma omp target teams distribute parallel for map(tofrom : data) thread_limit(3)
  for (int i = 0; i < 8; i++) data[i] += i;
  if (data[0] != 1) abort();
  leaf(d);
}

static void *root(void *its) {
  dice d = *(dice *)its;
  for (int left = 1 + below(&d, 3); left > 0; left--) region(roll(&d), 2);
  return NULL;
}

static void several_roots(dice d, int depth) {
  pthread_t threads[2];
  dice theirs[2] = {branch(d, 1), branch(d, 2)};
  int others = 1 + below(&d, 2);
  if (!may('r')) return;
  for (int i = 0; i < others; i++) pthread_create(&threads[i], NULL, root, &theirs[i]);
  region(d, depth);
  for (int i = 0; i < others; i++) pthread_join(threads[i], NULL);
}

void start_runtime(void) { (void)omp_get_max_threads(); }

// What the oracle has of that name, where it is there, whatever way it came.
static void *of_oracle(const char *name) {
  const char *library = getenv("OMP_TOOL_LIBRARIES");
  void *found = dlsym(RTLD_DEFAULT, name);
  void *oracle = found || !library ? NULL : dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!oracle) return found;
  found = dlsym(oracle, name);
  dlclose(oracle);
  return found;
}

static void oracle_pauses(int pauses) {
  void (*says)(int) = (void (*)(int))of_oracle("oracle_pauses");
  if (says) says(pauses);
}

static void by_ompt_control(uint64_t command, uint64_t modifier) { ompt_control(command, modifier); }

// Where the tool's own entry is not visible the runtime's is called, which informs the oracle itself.
static void control_by_name(uint64_t command) {
  void (*counts)(uint64_t, uint64_t, void (*)(uint64_t, uint64_t)) =
      (void (*)(uint64_t, uint64_t, void (*)(uint64_t, uint64_t)))of_oracle("oracle_controls");
  if (counts && dlsym(RTLD_DEFAULT, "ompt_control"))
    counts(command, 0, by_ompt_control);
  else
    by_ompt_control(command, 0);
}

void give_command(int command, int by_name) {
  if (command == ompttrace_pause || command == ompttrace_end) oracle_pauses(1);
  if (by_name)
    control_by_name((uint64_t)command);
  else
    omp_control_tool((omp_control_tool_t)command, 0, NULL);
  if (command == ompttrace_start) oracle_pauses(0);
}

static void pause_or_start(dice d, int depth) {
  if (!may('p')) return;
  int by_name = below(&d, 2);
  start_runtime();
  give_command(recording ? ompttrace_pause : ompttrace_start, by_name);
  recording = !recording;
  (void)depth;
}

static void flush(dice d, int depth) {
  (void)depth;
  give_command(ompttrace_flush, below(&d, 2));
}

static void soft_pause(dice d, int depth) {
  (void)depth;
  if (may('s') && !may('p') && below(&d, 2)) omp_pause_resource_all(omp_pause_soft);
}

static void alone(dice d, int depth) {
  (void)depth;
  critical_section();
  leaf(d);
}

static void fork_now(dice d, int depth) {
  if (may('f')) other_process(d, depth);
}

static step *const steps[] = {
    region, region, region,         region,         region, league,     target, several_roots,
    some_detached, alone, flush,  pause_or_start, pause_or_start, fork_now, fork_now, soft_pause,
};

void outer_steps(dice d, int depth) {
  for (int left = 3 + below(&d, 10); left > 0; left--) {
    give_work(120);
    step *next = steps[below(&d, sizeof steps / sizeof *steps)];
    next(roll(&d), depth);
  }
}
