// A fork before any OpenMP; both processes then run a region.
// run: threads=2
// expect: parallel_begin=1 parallel_end=1
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int members = 0, status = 0;
  pid_t child = fork();
#pragma omp parallel reduction(+ : members)
  members++;
  if (child == 0) exit(members != 2);
  waitpid(child, &status, 0);
  return finish("fork_before", members == 2 && status == 0);
}
