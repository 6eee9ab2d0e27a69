// Two regions of counted critical sections, as many for each thread as the argument says; before, between
// and after them it runs the shell commands BEFORE, BETWEEN and AFTER. With LEAVE its first thread ends the
// program while the others are in a third. With FLUSH another thread, which nobody waits for, asks for a flush
// before the second region, which begins when the file of that name is there.
// run: threads=3 args=2000 timeout=60
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void region(int times) {
#pragma omp parallel
  counted_times(times);
}

static int run_step(const char *name) {
  const char *command = getenv(name);
  return !command || system(command) == 0;
}

static void leave(int times, int good) {
#pragma omp parallel
  {
    counted_times(times);
#pragma omp barrier
    if (omp_get_thread_num() == 0) exit(finish("works", good));
    for (;;) counted();
  }
}

static void *flush(void *unused) {
  omp_control_tool(omp_control_tool_flush, 0, NULL);
  return unused;
}

static int flush_until(const char *is_there) {
  pthread_t flusher;
  if (!is_there) return 1;
  int failed = pthread_create(&flusher, NULL, flush, NULL);
  while (!failed && access(is_there, F_OK) != 0) usleep(1000);
  return !failed;
}

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : 1;
  own_counts_open();
  // The recording begins with the runtime, at the first call of it.
  int good = omp_get_max_threads() > 0 && run_step("BEFORE");
  region(times);
  good &= run_step("BETWEEN") && flush_until(getenv("FLUSH"));
  region(times);
  good &= run_step("AFTER");
  if (getenv("LEAVE")) leave(times, good);
  return finish("works", good);
}
