// A fork between regions; the child uses no OpenMP and the parent goes on. libomp
// 16 hangs in such a child's exit, with and without a tool.
// run: threads=2
// needs: libomp>=19 intel>=2024
// expect: parallel_begin=2 parallel_end=2
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int threads = 0, status = 1;
#pragma omp parallel reduction(+ : threads)
  threads++;
  pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, &status, 0);
#pragma omp parallel reduction(+ : threads)
  threads++;
  return finish("fork_idle", threads == 4 && status == 0);
}
