// The oracle: a tool for the runtime, a runtime for the tool. It counts every callback that passes
// from one to the other, so that a test can say whether the tool missed any. See README.md.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counts.h"
#include "forward.h"

static ompt_start_tool_result_t *tool;
static ompt_function_lookup_t runtimes_lookup;
static ompt_set_callback_t runtimes_set_callback;
static ompt_get_callback_t runtimes_get_callback;

static int known(int id) { return id > 0 && id < IDS && our_callback[id]; }

static int register_ours(int id, ompt_callback_t ours) {
  int answer = runtimes_set_callback((ompt_callbacks_t)id, ours);
  counts->header.registered[id] = answer;
  return answer;
}

// The tool's wish becomes ours, and the runtime's answer the tool's. The tool's callback is kept
// first: another thread may deliver the event before the registration has returned. An event that
// this oracle does not know goes past it.
static ompt_set_result_t set_callback(ompt_callbacks_t id, ompt_callback_t callback) {
  if (!known(id)) return runtimes_set_callback(id, callback);
  if (callback) __atomic_store_n(&tools_callback[id], callback, __ATOMIC_RELEASE);
  return (ompt_set_result_t)register_ours(id, callback ? our_callback[id] : NULL);
}

static int get_callback(ompt_callbacks_t id, ompt_callback_t *callback) {
  int found = runtimes_get_callback(id, callback);
  if (found && known(id) && *callback == our_callback[id]) *callback = tools_callback[id];
  return found;
}

static ompt_interface_fn_t lookup(const char *name) {
  if (strcmp(name, "ompt_set_callback") == 0) return (ompt_interface_fn_t)set_callback;
  if (strcmp(name, "ompt_get_callback") == 0) return (ompt_interface_fn_t)get_callback;
  return runtimes_lookup(name);
}

// With no tool behind it the oracle asks for everything, but `error` (37) only on request:
// registering it crashes some runtimes.
static void register_everything(void) {
  const char *error = getenv("ORACLE_ERROR");
  for (int id = 1; id < IDS; id++) {
    if (!known(id) || (id == ompt_callback_error && !error)) continue;
    register_ours(id, our_callback[id]);
  }
}

static int initialize(ompt_function_lookup_t from_runtime, int device, ompt_data_t *unused) {
  (void)unused;
  runtimes_lookup = from_runtime;
  runtimes_set_callback = (ompt_set_callback_t)from_runtime("ompt_set_callback");
  runtimes_get_callback = (ompt_get_callback_t)from_runtime("ompt_get_callback");
  counts->header.initialized++;
  if (tool) return tool->initialize(lookup, device, &tool->tool_data);
  register_everything();
  return 1;
}

static void finalize(ompt_data_t *unused) {
  (void)unused;
  if (tool) tool->finalize(&tool->tool_data);
  counts->header.finalized++;
}

typedef ompt_start_tool_result_t *start_tool(unsigned, const char *);

// A test that asked for a tool must not pass without one, so a tool that cannot be had ends the run.
static start_tool *load_tool(const char *path) {
  void *library = dlopen(path, RTLD_LAZY);
  start_tool *start = library ? (start_tool *)dlsym(library, "ompt_start_tool") : NULL;
  if (start) return start;
  fprintf(stderr, "oracle: cannot load the tool %s: %s\n", path, dlerror());
  _exit(97);
}

// NULL (no tool) when the tool itself declines: the program then runs as it would without us.
__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t ours = {initialize, finalize, {0}};
  counts_open();
  counts->header.omp_version = omp_version;
  snprintf(counts->header.runtime, sizeof counts->header.runtime, "%s", runtime_version);
  const char *path = getenv("ORACLE_TOOL");
  if (!path || !*path) return &ours;
  tool = load_tool(path)(omp_version, runtime_version);
  counts->header.tool = tool != NULL;
  return tool ? &ours : NULL;
}
