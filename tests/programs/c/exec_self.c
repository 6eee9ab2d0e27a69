// The program replaces itself by exec after a region; the second life has regions of its own and, having
// the same process id, counts anew.
// run: threads=2
// expect: parallel_begin=2 parallel_end=2
#include <stdlib.h>
#include <unistd.h>

#include "../check.h"

static int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}

int main(int argc, char **argv) {
  int threads = region();
  if (argc == 1) {
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return 1;
  }
  return finish("exec_self", threads + region() == 4);
}
