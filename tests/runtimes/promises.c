// A runtime that promises every callback and sends three of them, for `ompttrace doctor --probe`. It has the functions
// that compilers of both kinds call, as LLVM's has; with DIES it ends its process at a barrier.
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdlib.h>
#include <string.h>

static ompt_callback_thread_begin_t thread_begin;
static ompt_callback_parallel_begin_t parallel_begin;
static ompt_callback_parallel_end_t parallel_end;

static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  if (which == ompt_callback_thread_begin) thread_begin = (ompt_callback_thread_begin_t)callback;
  if (which == ompt_callback_parallel_begin) parallel_begin = (ompt_callback_parallel_begin_t)callback;
  if (which == ompt_callback_parallel_end) parallel_end = (ompt_callback_parallel_end_t)callback;
  return ompt_set_always;
}

static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") ? NULL : (ompt_interface_fn_t)set_callback;
}

static void start(void) {
  static int is_started;
  static ompt_data_t thread;
  ompt_start_tool_result_t *(*start_tool)(unsigned, const char *);
  if (is_started++) return;
  const char *path = getenv("OMP_TOOL_LIBRARIES");
  void *library = path ? dlopen(path, RTLD_NOW) : NULL;
  if (!library) return;
  *(void **)&start_tool = dlsym(library, "ompt_start_tool");
  ompt_start_tool_result_t *tool = start_tool(201811, "Promises version: 1");
  if (!tool) return;
  tool->initialize(lookup, 0, &tool->tool_data);
  thread_begin(ompt_thread_initial, &thread);
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  ompt_data_t task = {0}, region = {0};
  start();
  int kind = ompt_parallel_invoker_runtime | ompt_parallel_team;
  if (parallel_begin) parallel_begin(&task, NULL, &region, 1, kind, NULL);
  body(data);
  if (parallel_end) parallel_end(&region, &task, kind, NULL);
}

void GOMP_barrier(void) {
#ifdef DIES
  abort();
#endif
}

// What such a runtime is known by.
void __kmpc_fork_call(void) {}
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) { return NULL; }
