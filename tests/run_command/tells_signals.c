// Says which signals reach it, a word to a line, and ends by itself after SIGTERM or, with an
// argument, after SIGQUIT.
// run: threads=2 exit=7
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"

static const int told[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT, SIGTERM};
static volatile sig_atomic_t last;

static void tell(int signal) { last = signal; }

int main(int count, char **arguments) {
  int end = count > 1 ? SIGQUIT : SIGTERM;
  sigset_t wanted, before;
  int members = 0;
  sigemptyset(&wanted);
  for (unsigned i = 0; i < sizeof told / sizeof *told; i++) {
    struct sigaction now;
    // What is ignored stays ignored.
    sigaction(told[i], NULL, &now);
    if (now.sa_handler == SIG_IGN) continue;
    signal(told[i], tell);
    sigaddset(&wanted, told[i]);
  }
  // Before there are other threads: one of those would take a signal while this one is not waiting,
  // and nobody would tell of it.
  sigprocmask(SIG_BLOCK, &wanted, &before);
#pragma omp parallel reduction(+ : members)
  members++;
  // A test whose signals do not arrive shall fail and not wait.
  alarm(20);
  printf("ready %d\n", members);
  fflush(stdout);
  while (last != end) {
    sigsuspend(&before);
    printf("%s\n", sigabbrev_np(last));
    fflush(stdout);
  }
  (void)arguments;
  return 7;
}
