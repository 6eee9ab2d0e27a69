// A tool that does what none should: it allocates in one callback. Proof that direct.c would notice.
#include <omp-tools.h>
#include <stdlib.h>

static void *volatile kept;

static void on_flush(ompt_data_t *thread, const void *codeptr) {
  (void)thread, (void)codeptr;
  kept = malloc(16);
  free(kept);
}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_flush, (ompt_callback_t)on_flush);
  return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}
