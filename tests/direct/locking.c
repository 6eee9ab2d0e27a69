// A tool that takes a lock, which two threads seldom want at once. Proof that steps.h would notice.
#include <omp-tools.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr) {
  (void)kind, (void)id, (void)codeptr;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
  return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
