// A fork by a thread inside a region; the child leaves at once, the region goes on in the parent.
// run: threads=2
// expect: parallel_begin=1 parallel_end=1
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int threads = 0, status = 1;
#pragma omp parallel reduction(+ : threads)
  {
#pragma omp masked
    {
      pid_t child = fork();
      if (child == 0) _exit(0);
      waitpid(child, &status, 0);
    }
    threads++;
  }
  return finish("fork_in_region", threads == 2 && status == 0);
}
