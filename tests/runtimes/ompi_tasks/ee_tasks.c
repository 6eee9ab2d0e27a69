// An EELIB that brings its own tasks (3.3 of the document): they run at once, and their data are freed by who had them.
// The whole runtime is compiled with AVOID_OMPI_DEFAULT_TASKS.
#include "../ompi/inside.h"

#include <stdlib.h>

static int alive; // data that nobody has freed

void *othr_taskenv_alloc(int bytes, outlined function) {
  (void)function;
  counted(COUNT_nodes);
  __atomic_fetch_add(&alive, 1, __ATOMIC_SEQ_CST);
  return malloc(bytes ? bytes : 1);
}

void othr_taskenv_free(void *data) {
  __atomic_fetch_sub(&alive, 1, __ATOMIC_SEQ_CST);
  free(data);
}

void othr_new_task_exec(int flag, outlined function, void *data) {
  (void)flag;
  function(data);
  counted(COUNT_tasks_run);
}

void othr_new_task(int last, int untied, outlined function, void *data) {
  (void)last;
  othr_new_task_exec(untied, function, data);
}

void *othr_task_immediate_start(int last) {
  (void)last;
  return ort_get_current_task();
}

void othr_task_immediate_end(void *task) { (void)task; }

// All of them are over already: nobody waits.
void othr_taskwait(int how, void *info, int number) {
  (void)info, (void)number;
  if (how == 0) counted(COUNT_library_taskwaits);
  if (how == 2 && omp_get_num_threads() > 1) counted(COUNT_library_ends);
}

void othr_tasks_are_over(void) {
  if (alive) abort();
}
