// A fork between regions; the child runs three of its own, the parent one more.
// run: threads=2
// expect: parallel_begin=2 parallel_end=2
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}

int main(void) {
  int status = 1, threads = region();
  pid_t child = fork();
  if (child == 0) exit(region() + region() + region() != 6);
  waitpid(child, &status, 0);
  threads += region();
  return finish("fork_parallel", threads == 4 && status == 0);
}
