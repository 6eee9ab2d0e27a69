// A thread of a team waits in vfork, which the kernel counts as uninterruptible, for a child that lives as long as it does.
// run: threads=2 exit=0
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  // A test that forgets it shall fail and not wait.
  alarm(120);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1 && vfork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  return finish("uninterruptible", 0);
}
