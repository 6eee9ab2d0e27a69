// The runtime that direct.c plays: look-up and registration, callbacks by name, each under watch.h's eyes.
#define _GNU_SOURCE
#include "watch.h"
#include <omp-tools.h>
#include <stdio.h>
#include <string.h>

#include "stack.h"

static ompt_callback_t callbacks[64];
static long calls[64];

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t function) {
  if (event < 1 || event > 37) return ompt_set_error;
  callbacks[event] = function;
  return ompt_set_always;
}
static ompt_data_t *thread_data(void) { static __thread ompt_data_t data; return &data; }

static ompt_interface_fn_t look_up(const char *name) {
  if (!strcmp(name, "ompt_set_callback")) return (ompt_interface_fn_t)set_callback;
  if (!strcmp(name, "ompt_get_thread_data")) return (ompt_interface_fn_t)thread_data;
  return NULL;
}

static ompt_start_tool_result_t *load(const char *path) {
  void *tool = dlopen(path, RTLD_NOW);
  if (!tool) return fprintf(stderr, "%s\n", dlerror()), NULL;
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = dlsym(tool, "ompt_start_tool");
  before_call();
  ompt_start_tool_result_t *result = start ? start(201811, "direct calls 1.0") : NULL;
  after_call(START);
  return result;
}

// The interface gives some callbacks the types of others.
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t, ompt_callback_reduction_t;
typedef ompt_callback_mutex_acquire_t ompt_callback_lock_init_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t, ompt_callback_mutex_released_t,
    ompt_callback_lock_destroy_t;

// Calls a callback, if the tool has it, as its own type.
#define CALL(NAME, ...)                                                             \
  do {                                                                              \
    ompt_callback_t found = callbacks[ompt_callback_##NAME];                        \
    if (!found) break;                                                              \
    __atomic_fetch_add(&calls[ompt_callback_##NAME], 1, __ATOMIC_RELAXED);          \
    before_call();                                                                  \
    enter();                                                                        \
    ((ompt_callback_##NAME##_t)found)(__VA_ARGS__);                                 \
    leave();                                                                        \
    after_call(ompt_callback_##NAME);                                               \
  } while (0)

// Code addresses, distinguished by a number; other addresses are numbers as well.
static void here(void) {}
#define HERE(N) ((const void *)((uintptr_t)&here + (N)))
#define AT(N) ((void *)(uintptr_t)(N))
#define BEGIN ompt_scope_begin
#define END ompt_scope_end

static void control(uint64_t command, uint64_t modifier) {
  ompt_callback_t found = callbacks[ompt_callback_control_tool];
  if (!found) return;
  __atomic_fetch_add(&calls[ompt_callback_control_tool], 1, __ATOMIC_RELAXED);
  enter();
  int answer = ((ompt_callback_control_tool_t)found)(command, modifier, NULL, HERE(33));
  leave();
  printf("control %d answered %d\n", (int)command, answer);
}

static void report(void) {
  printf("here %lu\n", (unsigned long)(uintptr_t)&here);
  for (int id = 1; id < 64; id++)
    if (calls[id]) printf("calls %d %ld\n", id, calls[id]);
  report_stacks();
  printf("allocations %ld\nlocks %ld\nsystem calls %ld\n", allocations, locks, system_calls);
}
