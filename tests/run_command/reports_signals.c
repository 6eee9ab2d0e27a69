// Reports which signals reach it, a word to a line, and ends by itself after SIGTERM or, with an
// argument, after SIGQUIT.
// run: threads=2 exit=7
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"

static const int reported[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT, SIGTERM};
static volatile sig_atomic_t last;

static void report(int signal) { last = signal; }

int main(int count, char **arguments) {
  int end = count > 1 ? SIGQUIT : SIGTERM;
  sigset_t wanted, before;
  int team_threads = 0;
  sigemptyset(&wanted);
  for (unsigned i = 0; i < sizeof reported / sizeof *reported; i++) {
    struct sigaction now;
    // What is ignored stays ignored.
    sigaction(reported[i], NULL, &now);
    if (now.sa_handler == SIG_IGN) continue;
    signal(reported[i], report);
    sigaddset(&wanted, reported[i]);
  }
  // Before there are other threads: one of those would take a signal while this one is not waiting,
  // and nobody would report it.
  sigprocmask(SIG_BLOCK, &wanted, &before);
#pragma omp parallel reduction(+ : team_threads)
  team_threads++;
  // A test whose signals do not arrive shall fail and not wait.
  alarm(20);
  printf("ready %d\n", team_threads);
  fflush(stdout);
  while (last != end) {
    sigsuspend(&before);
    printf("%s\n", sigabbrev_np(last));
    fflush(stdout);
  }
  (void)arguments;
  return 7;
}
