// Plays the runtime: loads a tool, takes its callbacks through a look-up of its own and calls every
// one of them under watch. usage: direct TOOL ROUNDS THREADS; no threads: one round, step by step, and with -1 the
// same with a signal handler's calls at each step
//
// Prints where `here` is, how often each callback was called, what omp_control_tool's answers were
// and what watch.h counted inside. tests/direct_calls.rs knows the arguments.
#include "direct.h"
#include "steps.h"
#include "handler.h"

// What was in words that must be empty.
static _Atomic unsigned long found_in_words;

static void tasks(ompt_data_t *implicit) {
  ompt_data_t task = {0}, other = {0};
  ompt_frame_t frame = {0};
  ompt_dependence_t list[3] = {{{.ptr = AT(0xd1)}, ompt_dependence_type_in},
                               {{.ptr = AT(0xd2)}, ompt_dependence_type_out},
                               {{.value = 7}, ompt_dependence_type_inout}};
  int untied = ompt_task_explicit | ompt_task_untied;
  CALL(task_create, implicit, &frame, &task, ompt_task_explicit, 1, HERE(1));
  CALL(dependences, &task, list, 3);
  CALL(task_create, implicit, &frame, &other, untied, 0, HERE(2));
  CALL(task_dependence, &task, &other);
  CALL(task_schedule, implicit, ompt_task_switch, &task);
  CALL(task_schedule, &task, ompt_task_complete, implicit);
  CALL(task_schedule, implicit, ompt_task_switch, &other);
  CALL(task_schedule, &other, ompt_task_yield, implicit);
  CALL(task_schedule, implicit, ompt_task_switch, &other);
  CALL(cancel, &other, ompt_cancel_taskgroup | ompt_cancel_activated, HERE(3));
  CALL(task_schedule, &other, ompt_task_cancel, implicit);
}

static void work(ompt_data_t *region, ompt_data_t *task) {
  ompt_dispatch_chunk_t chunk = {10, 5};
  ompt_data_t instance = {.ptr = &chunk}, section = {.ptr = AT(0x5ec)};
  CALL(work, ompt_work_loop_dynamic, BEGIN, region, task, 100, HERE(4));
  CALL(dispatch, region, task, ompt_dispatch_ws_loop_chunk, instance);
  CALL(dispatch, region, task, ompt_dispatch_section, section);
  CALL(work, ompt_work_loop_dynamic, END, region, task, 100, HERE(5));
  CALL(masked, BEGIN, region, task, HERE(6));
  CALL(masked, END, region, task, HERE(7));
  CALL(sync_region, ompt_sync_region_taskgroup, BEGIN, region, task, HERE(8));
  CALL(sync_region_wait, ompt_sync_region_taskgroup, BEGIN, region, task, HERE(9));
  CALL(sync_region_wait, ompt_sync_region_taskgroup, END, region, task, HERE(10));
  CALL(sync_region, ompt_sync_region_taskgroup, END, region, task, HERE(11));
  CALL(reduction, ompt_sync_region_reduction, ompt_scope_beginend, region, task, HERE(12));
  CALL(flush, NULL, HERE(13));
}

static void mutexes(void) {
  ompt_wait_id_t id = 0xabcdef0123456789;
  CALL(lock_init, ompt_mutex_nest_lock, 3, 4, id, HERE(14));
  CALL(mutex_acquire, ompt_mutex_nest_lock, 5, 6, id, HERE(15));
  CALL(mutex_acquired, ompt_mutex_nest_lock, id, HERE(16));
  CALL(nest_lock, BEGIN, id, HERE(17));
  CALL(nest_lock, END, id, HERE(18));
  CALL(mutex_released, ompt_mutex_nest_lock, id, HERE(19));
  CALL(lock_destroy, ompt_mutex_nest_lock, id, HERE(20));
}

static void *host[2] = {AT(0x10), AT(0x20)}, *device[2] = {AT(0x30), AT(0x40)};
static size_t bytes[2] = {8, 1ul << 40};
static unsigned flags[2] = {1, 2};

static void targets_emi(ompt_data_t *task) {
  ompt_data_t target = {0}, target_task = {.value = 55};
  ompt_id_t op = 0;
  CALL(target_emi, ompt_target_nowait, BEGIN, -1, task, &target_task, &target, HERE(21));
  CALL(target_map_emi, &target, 2, host, device, bytes, flags, HERE(22));
  CALL(target_data_op_emi, BEGIN, &target_task, &target, &op, ompt_target_data_alloc, AT(0x10), -1,
       AT(0x30), 0, 1ul << 40, HERE(23));
  CALL(target_data_op_emi, END, NULL, &target, &op, ompt_target_data_alloc, AT(0x10), -1, AT(0x30),
       0, 1ul << 40, HERE(24));
  CALL(target_submit_emi, BEGIN, &target, &op, 9);
  CALL(target_submit_emi, END, &target, &op, 9);
  CALL(target_emi, ompt_target_nowait, END, -1, task, &target_task, &target, HERE(25));
}

static void targets(ompt_data_t *task) {
  CALL(target, ompt_target_update, BEGIN, 2, task, 5, HERE(26));
  CALL(target_map, 5, 2, host, device, bytes, flags, HERE(27));
  CALL(target_data_op, 5, 6, ompt_target_data_transfer_to_device, AT(0x10), -1, AT(0x30), 2, 64,
       HERE(28));
  CALL(target_submit, 5, 7, 8);
  CALL(target, ompt_target_update, END, 2, task, 5, HERE(29));
}

static void devices(void) {
  const char *file = "/a/file with a longer name than one record holds.so";
  CALL(device_initialize, 1, "a device", NULL, NULL, NULL);
  CALL(device_load, 1, file, -3, AT(0x50), 100, AT(0x60), AT(0x70), 3);
  CALL(device_unload, 1, 3);
  CALL(device_finalize, 1);
  CALL(error, ompt_warning, "a warning of exactly 31 letters", 31, HERE(30));
}

// What a runtime may leave out: every pointer.
static void nothings(void) {
  ompt_data_t none = {0};
  CALL(thread_begin, ompt_thread_unknown, NULL);
  CALL(parallel_begin, NULL, NULL, NULL, 0, 0, NULL);
  CALL(implicit_task, BEGIN, NULL, NULL, 0, 0, 0);
  CALL(implicit_task, END, NULL, NULL, 0, 0, 0);
  CALL(parallel_end, NULL, NULL, 0, NULL);
  CALL(task_create, NULL, NULL, NULL, 0, 0, NULL);
  CALL(dependences, NULL, NULL, 0);
  CALL(dependences, NULL, NULL, 2);
  CALL(task_dependence, NULL, NULL);
  CALL(task_schedule, NULL, ompt_taskwait_complete, NULL);
  CALL(work, 0, BEGIN, NULL, NULL, 0, NULL);
  CALL(dispatch, NULL, NULL, ompt_dispatch_ws_loop_chunk, none);
  CALL(masked, BEGIN, NULL, NULL, NULL);
  CALL(sync_region, 0, END, NULL, NULL, NULL);
  CALL(sync_region_wait, 0, END, NULL, NULL, NULL);
  CALL(reduction, 0, END, NULL, NULL, NULL);
  CALL(mutex_acquire, 0, 0, 0, 0, NULL);
  CALL(cancel, NULL, 0, NULL);
  CALL(target_emi, 0, BEGIN, 0, NULL, NULL, NULL, NULL);
  CALL(target_map_emi, NULL, 1, NULL, NULL, NULL, NULL, NULL);
  CALL(target_data_op_emi, BEGIN, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, 0, NULL);
  CALL(target_submit_emi, BEGIN, NULL, NULL, 0);
  CALL(device_initialize, 0, NULL, NULL, NULL, NULL);
  CALL(device_load, 0, NULL, 0, NULL, 0, NULL, NULL, 0);
  CALL(error, ompt_fatal, NULL, 20, NULL);
}

// A worker at the end of thread 3's region. Runtimes copy its word when its wait has begun and report the
// ends with the copy; in between nothing may be in it.
static void closing(void) {
  enum { KIND = ompt_sync_region_barrier_implicit_parallel };
  ompt_data_t region = {.value = 3ul << 32 | 1}, own = {0}, copy;
  CALL(implicit_task, BEGIN, &region, &own, 2, 1, ompt_task_implicit);
  CALL(sync_region, KIND, BEGIN, &region, &own, NULL);
  CALL(sync_region_wait, KIND, BEGIN, &region, &own, NULL);
  copy = own;
  found_in_words |= copy.value;
  CALL(sync_region_wait, KIND, END, NULL, &copy, NULL);
  CALL(sync_region, KIND, END, NULL, &copy, NULL);
  CALL(implicit_task, END, NULL, &copy, 0, 1, ompt_task_implicit);
  found_in_words |= copy.value;
}

static void round_of_calls(ompt_data_t *initial) {
  ompt_data_t region = {0}, implicit = {0};
  ompt_frame_t frame = {0};
  int team = ompt_parallel_team | ompt_parallel_invoker_runtime;
  CALL(parallel_begin, initial, &frame, &region, 3, team, HERE(31));
  CALL(implicit_task, BEGIN, &region, &implicit, 1, 0, ompt_task_implicit);
  work(&region, &implicit);
  tasks(&implicit);
  mutexes();
  targets_emi(&implicit);
  targets(&implicit);
  devices();
  CALL(implicit_task, END, NULL, &implicit, 1, 0, ompt_task_implicit);
  CALL(parallel_end, &region, initial, team, HERE(32));
}

static int rounds;

static void *thread(void *is_worker) {
  ompt_data_t data = {0}, initial = {0};
  if (watch_system_calls()) puts("the kernel reports no system calls"), exit(4);
  CALL(thread_begin, is_worker ? ompt_thread_worker : ompt_thread_initial, &data);
  CALL(implicit_task, BEGIN, NULL, &initial, 1, 1, ompt_task_initial);
  for (int round = 0; round < rounds; round++) warm = round > 0, round_of_calls(&initial);
  warm = 0;
  closing();
  nothings();
  control(3, 4);
  control(64, 5);
  CALL(implicit_task, END, NULL, &initial, 0, 1, ompt_task_initial);
  CALL(thread_end, &data);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  measure_if_wanted();
  ompt_start_tool_result_t *tool = load(argv[1]);
  before_call();
  if (!tool || !tool->initialize(look_up, 0, &tool->tool_data)) return puts("no tool"), 3;
  after_call(INITIALIZE);
  rounds = atoi(argv[2]);
  int others = atoi(argv[3]) - 1;
  pthread_t threads[64];
  for (int i = 0; i < others && i < 64; i++) pthread_create(&threads[i], NULL, thread, argv);
  for (int i = 0; i < others && i < 64; i++) pthread_join(threads[i], NULL);
  if (others < -1) be_interrupted_at_every_step(rounds);
  else others < 0 ? step_through_a_round() : (void)thread(NULL);
  before_call();
  tool->finalize(&tool->tool_data);
  after_call(FINALIZE);
  printf("found in words %lu\n", found_in_words);
  report();
  return 0;
}
