// A fork before any OpenMP; both processes then run a region.
// run: threads=2
// expect: parallel_begin=1 parallel_end=1
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int threads = 0, status = 0;
  pid_t child = fork();
#pragma omp parallel reduction(+ : threads)
  threads++;
  if (child == 0) exit(threads != 2);
  waitpid(child, &status, 0);
  return finish("fork_before", threads == 2 && status == 0);
}
