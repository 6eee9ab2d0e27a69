// A tool that does what none should: it allocates in one callback, takes a lock in another, and calls the
// kernel in a third. Proof that direct.c would notice.
#include <omp-tools.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static void *volatile kept;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void on_flush(ompt_data_t *thread, const void *codeptr) {
  (void)thread, (void)codeptr;
  kept = malloc(16);
  free(kept);
}

// For readers, who do not wait for each other.
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr) {
  (void)kind, (void)id, (void)codeptr;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
}

static void on_cancel(ompt_data_t *task, int flags, const void *codeptr) {
  (void)task, (void)flags, (void)codeptr;
  sched_yield();
}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_flush, (ompt_callback_t)on_flush);
  set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
  set(ompt_callback_cancel, (ompt_callback_t)on_cancel);
  return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
