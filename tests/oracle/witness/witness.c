// The simplest tool that can be: it registers everything and counts, and writes what it saw when the
// runtime finalizes. The self-check puts it behind the oracle to prove that the oracle forwards each
// event, its data and its result. The lines of the file that WITNESS_REPORT names:
//
//   <id> <none> <begin> <end> <beginend>     one for each event
//   0 <n> 0 0 0                              regions that ended without the value of their begin
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>

enum { IDS = 40, ANSWER = 7, MARK = 0x3a7 };

static unsigned long seen[IDS][4];

static void see(int id, unsigned endpoint) {
  __atomic_fetch_add(&seen[id][endpoint < 4 ? endpoint : 0], 1, __ATOMIC_RELAXED);
}

#pragma clang diagnostic ignored "-Wunused-parameter"
#define ARGS(...) __VA_ARGS__
#define EVENT(name, type, endpoint, kind, parameters, arguments) \
  static void on_##name(parameters) { see(ompt_callback_##name, endpoint); }
#include "../events.h"

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *deps, int ndeps) {
  see(ompt_callback_dependences, 0);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr) {
  see(ompt_callback_control_tool, 0);
  return ANSWER;
}

// These two stand in for the generic ones: what begin leaves in the region's data, end must find.
static void mark_region(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                        unsigned requested, int flags, const void *codeptr) {
  parallel->value = MARK;
  on_parallel_begin(task, frame, parallel, requested, flags, codeptr);
}

static void know_region(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr) {
  if (!parallel || parallel->value != MARK) see(0, 0);
  on_parallel_end(parallel, task, flags, codeptr);
}

#undef EVENT
#define EVENT(name, type, endpoint, kind, parameters, arguments) \
  {ompt_callback_##name, (ompt_callback_t)on_##name},

static const struct {
  ompt_callbacks_t id;
  ompt_callback_t callback;
} wanted[] = {
#include "../events.h"
    {ompt_callback_dependences, (ompt_callback_t)on_dependences},
    {ompt_callback_control_tool, (ompt_callback_t)on_control_tool},
    {ompt_callback_parallel_begin, (ompt_callback_t)mark_region},
    {ompt_callback_parallel_end, (ompt_callback_t)know_region},
};

// What the runtime says it holds must be what we gave it, whoever stands between.
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    ompt_callback_t held = NULL;
    if (wanted[i].id == ompt_callback_error) continue;
    ompt_set_result_t answer = set(wanted[i].id, wanted[i].callback);
    if (answer == ompt_set_always && get(wanted[i].id, &held) && held != wanted[i].callback)
      return 0;
  }
  return 1;
}

static void finalize(ompt_data_t *tool) {
  FILE *report = fopen(getenv("WITNESS_REPORT"), "w");
  for (int id = 0; id < IDS; id++)
    fprintf(report, "%d %lu %lu %lu %lu\n", id, seen[id][0], seen[id][1], seen[id][2], seen[id][3]);
  fclose(report);
}

__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
