// A thread flushes the tool without pause while the main thread forks: the children must find no
// lock taken for good.
// run: threads=1
// needs: libomp>=19 intel>=2024
// expect: parallel_begin>=1
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static int volatile done;

static void *flush(void *unused) {
  (void)unused;
  while (!done) omp_control_tool(3, 0, NULL);
  return NULL;
}

static int child_ends(void) {
  pid_t child = fork();
  if (child == 0) {
#pragma omp parallel num_threads(1)
    {}
    _exit(0);
  }
  int status;
  for (int i = 0; i < 500; i++) {
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

int main(void) {
#pragma omp parallel num_threads(1)
  {}
  pthread_t thread;
  int ended = 0;
  pthread_create(&thread, NULL, flush, NULL);
  usleep(5000);
  for (int i = 0; i < 5; i++) ended += child_ends();
  done = 1;
  pthread_join(thread, NULL);
  return finish("fork_while_flushing", ended == 5);
}
