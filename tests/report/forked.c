// The parent uses OpenMP and forks; the child's first region waits for a thread that exists in the parent only, until the
// parent has waited for a line on its input, or for 20 seconds.
// run: threads=2
// build: compiler=gcc
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    threads++;
  }
  return threads;
}

int main(void) {
  region();
  pid_t child = fork();
  if (child == 0) {
    region();
    _exit(0);
  }
  struct pollfd input = {.fd = 0, .events = POLLIN};
  poll(&input, 1, 20000);
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  printf("%d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}
