// The same calls before a fork and in the child, and then, if asked to, killed.
// run: threads=2
#define SOURCE __BASE_FILE__
#include "chain.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

NOT_INLINED static void solve(void) {
  FUNCTION("solve");
#pragma omp parallel num_threads(2)
  {
    BODY("parallel", 2);
    LEAVE;
  }
  RETURN;
}

int main(int argc, char **argv) {
  (void)argv;
  FUNCTION("main");
  pid_t child = 0;
  // From one call site both times: the child meets frames that its parent has reported already.
  for (int round = 0; round < 2; round++) {
    if (round == 1) child = fork();
    solve();
    fflush(stdout);
    if (argc > 1) kill(getpid(), SIGKILL);
  }
  if (child != 0) waitpid(child, NULL, 0);
  RETURN;
  return 0;
}
