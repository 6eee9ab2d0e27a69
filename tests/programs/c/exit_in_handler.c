// exit() in a signal handler that may hit the thread anywhere, also within the tool: undefined by
// the letter, and what many batch programs do on SIGTERM.
// run: threads=1 exit=3
// expect: mutex_acquired>=1
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "../check.h"

static void handler(int signal) {
  (void)signal;
  finish("exit_in_handler", 1);
  exit(3);
}

static void work(void) {
  static long volatile sum;
#pragma omp critical
  sum++;
}

int main(void) {
  struct itimerval soon = {{0, 0}, {0, 8000}};
  signal(SIGALRM, handler);
  work();
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;) work();
}
