// Other processes: children that use OpenMP and children that do not, that end well or are killed,
// that have children of their own or become another program.
#include <omp.h>
#include <signal.h>
#include <sys/wait.h>

#include "soak.h"

static void become_another(dice d) {
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)(roll(&d) >> 1));
  execl(self, self, seed, "return", "k", (char *)NULL);
  _exit(99);
}

static void die_in_region(dice d) {
#pragma omp parallel num_threads(3)
  {
    critical_section();
    leaf(branch(d, omp_get_thread_num()));
#pragma omp barrier
#pragma omp single
    kill(getpid(), SIGKILL);
  }
}

// How a child ends: by itself with 0, by SIGKILL or not at all well.
static int ended_well(pid_t child) {
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return 0;
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0 || WEXITSTATUS(status) == 3;
}

static void live(dice d, int depth) {
  int end = below(&d, 4);
  // Not even locks: in a child LLVM's runtime knows neither its parent's nor new ones.
  may_only("");
  count_anew();
  outer_steps(branch(d, 1), depth);
  if (end == 0) die_in_region(d);
  if (end == 1) _exit(0);
  if (end == 2) {
    pid_t child = fork();
    if (child == 0) {
      count_anew();
          region(branch(d, 2), depth);
      exit(0);
    }
    if (!ended_well(child)) _exit(98);
  }
  exit(0);
}

void other_process(dice d, int depth) {
  int what = below(&d, 7);
  dice its = roll(&d);
  pid_t child = what == 0 ? vfork() : fork();
  if (child == 0) {
    if (what == 0) _exit(execl("/bin/true", "true", (char *)NULL));
    if (what == 1) _exit(0);
    if (what == 2) exit(0);
    if (what == 3) become_another(its);
    live(its, depth - 1);
  }
  if (!ended_well(child)) abort();
}

void process_in_region(dice d) {
  if (!may('f')) return;
  int what = below(&d, 3);
#pragma omp masked
  {
    pid_t child = what == 0 ? vfork() : fork();
    if (child == 0) {
      if (what == 0) _exit(execl("/bin/true", "true", (char *)NULL));
      if (what == 1) become_another(d);
      _exit(0);
    }
    if (!ended_well(child)) abort();
  }
}
