// A phase that is open in a fork: parent and child both go on with it, and end it for themselves.
// run: threads=2
#include <ompttrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/check.h"

static int threads;

__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

int main(void) {
  region();
  ompttrace_phase_begin("over the fork");
  ompttrace_phase_begin("in both");
  pid_t child = fork();
  region();
  ompttrace_phase_end();
  ompttrace_phase_begin(child == 0 ? "of the child" : "of the parent");
  region();
  ompttrace_phase_end();
  ompttrace_phase_end();
  int status = 0;
  if (child != 0) waitpid(child, &status, 0);
  return finish("forked", threads == 6 && status == 0);
}
