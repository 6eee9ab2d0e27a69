// Hears of children that end, though it has none: a handler of its own prints, counts and ends the
// program, as its argument says. The thread that exits has all signals blocked where it says so.
// run: threads=2 exit=5
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void prints(int signal) {
  static const char text[] = "a child has ended\n";
  if (signal && write(1, text, sizeof text - 1) < 0) abort();
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

static void ends(int signal) { _exit(signal); }

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  own_counts_open();
  if (!strcmp(how, "prints")) signal(SIGCHLD, prints);
  if (!strcmp(how, "ends")) signal(SIGCHLD, ends);
  if (!strcmp(how, "ignores")) signal(SIGCHLD, SIG_IGN);
  if (!strcmp(how, "blocks")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
  }
#pragma omp parallel
  counted_times(700);
  finish("children", count == 2);
  exit(5);
}
