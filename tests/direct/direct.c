// Plays the runtime: loads a tool, takes its callbacks through a look-up of its own and calls every
// one of them, watching for memory allocation inside. usage: direct TOOL ROUNDS THREADS
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp-tools.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static __thread int inside;
static long allocations;

static void count(void) { if (inside) __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED); }
void *malloc(size_t n) { count(); return __libc_malloc(n); }
void *calloc(size_t m, size_t n) { count(); return __libc_calloc(m, n); }
void *realloc(void *p, size_t n) { count(); return __libc_realloc(p, n); }
void free(void *p) { if (p) count(); __libc_free(p); }

static ompt_callback_t callbacks[64];

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

// Calls callback EVENT, if the tool has one, as its own type.
#define CALL(EVENT, ...) \
  do { \
    if (callbacks[EVENT]) { inside = 1; ((EVENT##_t)callbacks[EVENT])(__VA_ARGS__); inside = 0; } \
  } while (0)
// The interface gives some callbacks the types of others.
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t, ompt_callback_reduction_t;
typedef ompt_callback_mutex_acquire_t ompt_callback_lock_init_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t, ompt_callback_mutex_released_t, ompt_callback_lock_destroy_t;

#define HERE ((const void *)((uintptr_t)&main_code + 16))
static void main_code(void) {}

static void tasks(ompt_data_t *implicit) {
  ompt_data_t task = {0}, other = {0};
  ompt_frame_t frame = {0};
  ompt_dependence_t list[3] = {{{.ptr = &task}, ompt_dependence_type_in}, {{.ptr = &other}, ompt_dependence_type_out}, {{.value = 7}, ompt_dependence_type_inout}};
  CALL(ompt_callback_task_create, implicit, &frame, &task, ompt_task_explicit, 1, HERE);
  CALL(ompt_callback_dependences, &task, list, 3);
  CALL(ompt_callback_task_create, implicit, &frame, &other, ompt_task_explicit, 0, HERE);
  CALL(ompt_callback_task_dependence, &task, &other);
  CALL(ompt_callback_task_schedule, implicit, ompt_task_switch, &task);
  CALL(ompt_callback_task_schedule, &task, ompt_task_complete, implicit);
  CALL(ompt_callback_task_schedule, implicit, ompt_task_switch, &other);
  CALL(ompt_callback_cancel, &other, ompt_cancel_taskgroup | ompt_cancel_activated, HERE);
  CALL(ompt_callback_task_schedule, &other, ompt_task_cancel, implicit);
}

static void work(ompt_data_t *region, ompt_data_t *task) {
  ompt_dispatch_chunk_t chunk = {10, 5};
  ompt_data_t instance = {.ptr = &chunk};
  CALL(ompt_callback_work, ompt_work_loop_dynamic, ompt_scope_begin, region, task, 100, HERE);
  CALL(ompt_callback_dispatch, region, task, ompt_dispatch_ws_loop_chunk, instance);
  CALL(ompt_callback_work, ompt_work_loop_dynamic, ompt_scope_end, region, task, 100, HERE);
  CALL(ompt_callback_masked, ompt_scope_begin, region, task, HERE);
  CALL(ompt_callback_masked, ompt_scope_end, region, task, HERE);
  CALL(ompt_callback_sync_region, ompt_sync_region_barrier_explicit, ompt_scope_begin, region, task, HERE);
  CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_explicit, ompt_scope_begin, region, task, HERE);
  CALL(ompt_callback_sync_region_wait, ompt_sync_region_barrier_explicit, ompt_scope_end, region, task, HERE);
  CALL(ompt_callback_sync_region, ompt_sync_region_barrier_explicit, ompt_scope_end, region, task, HERE);
  CALL(ompt_callback_reduction, ompt_sync_region_reduction, ompt_scope_beginend, region, task, HERE);
  CALL(ompt_callback_flush, NULL, HERE);
}

static void mutexes(void) {
  static int lock;
  ompt_wait_id_t id = (ompt_wait_id_t)(uintptr_t)&lock;
  CALL(ompt_callback_lock_init, ompt_mutex_lock, 0, 1, id, HERE);
  CALL(ompt_callback_mutex_acquire, ompt_mutex_lock, 0, 1, id, HERE);
  CALL(ompt_callback_mutex_acquired, ompt_mutex_lock, id, HERE);
  CALL(ompt_callback_nest_lock, ompt_scope_begin, id, HERE);
  CALL(ompt_callback_nest_lock, ompt_scope_end, id, HERE);
  CALL(ompt_callback_mutex_released, ompt_mutex_lock, id, HERE);
  CALL(ompt_callback_lock_destroy, ompt_mutex_lock, id, HERE);
}

static void targets(ompt_data_t *task) {
  ompt_data_t target = {0}, target_task = {0};
  ompt_id_t op = 0;
  void *host[2] = {&target, &op}, *device[2] = {0, 0};
  size_t bytes[2] = {8, 8};
  unsigned flags[2] = {1, 2};
  CALL(ompt_callback_target_emi, ompt_target, ompt_scope_begin, 0, task, &target_task, &target, HERE);
  CALL(ompt_callback_target_map_emi, &target, 2, host, device, bytes, flags, HERE);
  CALL(ompt_callback_target_data_op_emi, ompt_scope_begin, &target_task, &target, &op, ompt_target_data_alloc, &target, -1, &op, 0, 64, HERE);
  CALL(ompt_callback_target_data_op_emi, ompt_scope_end, NULL, &target, &op, ompt_target_data_alloc, &target, -1, &op, 0, 64, HERE);
  CALL(ompt_callback_target_submit_emi, ompt_scope_begin, &target, &op, 1);
  CALL(ompt_callback_target_submit_emi, ompt_scope_end, &target, &op, 1);
  CALL(ompt_callback_target_emi, ompt_target, ompt_scope_end, 0, task, &target_task, &target, HERE);
  CALL(ompt_callback_target, ompt_target_update, ompt_scope_begin, 0, task, 5, HERE);
  CALL(ompt_callback_target_map, 5, 2, host, device, bytes, flags, HERE);
  CALL(ompt_callback_target_data_op, 5, 6, ompt_target_data_transfer_to_device, &op, -1, &target, 0, 64, HERE);
  CALL(ompt_callback_target_submit, 5, 7, 1);
  CALL(ompt_callback_target, ompt_target_update, ompt_scope_end, 0, task, 5, HERE);
}

static void devices(void) {
  CALL(ompt_callback_device_initialize, 0, "a device", NULL, NULL, NULL);
  CALL(ompt_callback_device_load, 0, "/a/file with a longer name than one record holds.so", 0, NULL, 100, NULL, NULL, 3);
  CALL(ompt_callback_device_unload, 0, 3);
  CALL(ompt_callback_device_finalize, 0);
  CALL(ompt_callback_error, ompt_warning, "a warning of some length", 24, HERE);
}

static int rounds;

static void *thread(void *argument) {
  ompt_data_t data = {0}, initial = {0}, region = {0}, implicit = {0};
  ompt_frame_t frame = {0};
  CALL(ompt_callback_thread_begin, argument ? ompt_thread_worker : ompt_thread_initial, &data);
  CALL(ompt_callback_implicit_task, ompt_scope_begin, NULL, &initial, 1, 1, ompt_task_initial);
  for (int round = 0; round < rounds; round++) {
    CALL(ompt_callback_parallel_begin, &initial, &frame, &region, 1, ompt_parallel_team | ompt_parallel_invoker_runtime, HERE);
    CALL(ompt_callback_implicit_task, ompt_scope_begin, &region, &implicit, 1, 0, ompt_task_implicit);
    work(&region, &implicit);
    tasks(&implicit);
    mutexes();
    targets(&implicit);
    devices();
    CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &implicit, 1, 0, ompt_task_implicit);
    CALL(ompt_callback_parallel_end, &region, &initial, ompt_parallel_team | ompt_parallel_invoker_runtime, HERE);
  }
  if (callbacks[ompt_callback_control_tool]) {
    inside = 1;
    int result = ((ompt_callback_control_tool_t)callbacks[ompt_callback_control_tool])(3, 0, NULL, HERE);
    inside = 0;
    if (result != 0) printf("flush answered %d\n", result);
  }
  CALL(ompt_callback_implicit_task, ompt_scope_end, NULL, &initial, 0, 1, ompt_task_initial);
  CALL(ompt_callback_thread_end, &data);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  rounds = atoi(argv[2]);
  void *tool = dlopen(argv[1], RTLD_NOW);
  if (!tool) return fprintf(stderr, "%s\n", dlerror()), 2;
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = dlsym(tool, "ompt_start_tool");
  ompt_start_tool_result_t *result = start ? start(201811, "direct calls 1.0") : NULL;
  if (!result || !result->initialize(look_up, 0, &result->tool_data)) return puts("no tool"), 3;
  int others = atoi(argv[3]) - 1;
  pthread_t threads[64];
  for (int i = 0; i < others && i < 64; i++) pthread_create(&threads[i], NULL, thread, argv);
  for (int i = 0; i < others && i < 64; i++) pthread_join(threads[i], NULL);
  thread(NULL);
  result->finalize(&result->tool_data);
  printf("allocations inside callbacks: %ld\n", allocations);
  return 0;
}
