// Makes another process, at the time and in the way that its arguments name, and both count their
// critical sections: `forks WHEN HOW`.
// run: threads=3
#include <omp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../programs/check.h"
#include "../programs/counted.h"

extern char **environ;

static char *self;

static void region(int times) {
#pragma omp parallel
  counted_times(times);
}

// What a child does that goes on in the same program; children of its own end before it.
static int child(const char *how) {
  if (!strcmp(how, "idle")) exit(0);
  if (!strcmp(how, "idle _exit")) _exit(0);
  if (!strcmp(how, "exec idle")) return execl("/bin/true", "true", (char *)NULL);
  if (!strcmp(how, "exec") || !strcmp(how, "vfork exec"))
    return execl(self, self, "alone", "", (char *)NULL);
  own_counts_open();
  if (!strcmp(how, "serial") || !strcmp(how, "clone")) counted_times(300);
  if (!strcmp(how, "region") || !strcmp(how, "deep")) region(300);
  if (!strcmp(how, "killed")) region(3000), kill(getpid(), SIGKILL);
  if (!strcmp(how, "deep") && own_counts) {
    pid_t grandchild = fork();
    if (grandchild == 0) _exit(child("region"));
    waitpid(grandchild, NULL, 0);
    counted_times(100);
  }
  // Behind the runtime's back it waits at exit for threads that it does not have.
  if (!strcmp(how, "clone")) _exit(0);
  exit(0);
}

static pid_t start(const char *how) {
  if (!strcmp(how, "vfork exec")) {
    pid_t made = vfork();
    if (made == 0) _exit(execl(self, self, "alone", "", (char *)NULL));
    return made;
  }
  if (!strcmp(how, "vfork")) {
    pid_t made = vfork();
    if (made == 0) _exit(0);
    return made;
  }
  if (!strcmp(how, "posix_spawn")) {
    pid_t made = -1;
    char *arguments[] = {self, "alone", "", NULL};
    return posix_spawn(&made, self, NULL, NULL, arguments, environ) ? -1 : made;
  }
  int is_clone = !strcmp(how, "clone");
  pid_t made = is_clone ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (made == 0) _exit(child(how));
  return made;
}

// True when the other process was made and ended well.
static int make(const char *how) {
  int status = -1;
  if (!strcmp(how, "system")) {
    char command[4200];
    snprintf(command, sizeof command, "'%s' alone ''", self);
    return system(command) == 0;
  }
  pid_t made = start(how);
  if (made < 0 || waitpid(made, &status, 0) != made) return 0;
  return !strcmp(how, "killed") ? WIFSIGNALED(status) : status == 0;
}

int main(int count, char **arguments) {
  int good = count == 3;
  const char *when = arguments[1], *how = arguments[2];
  self = arguments[0];
  own_counts_open();
  if (!strcmp(when, "before")) good = make(how);
  region(500);
  if (!strcmp(when, "between")) good = make(how);
  if (!strcmp(when, "twice")) good = make(how) && make(how);
  if (!strcmp(when, "inside")) {
#pragma omp parallel
    {
      // A child would find the lock of a thread that it does not have.
      counted_times(200);
#pragma omp barrier
      if (omp_get_thread_num() == 0) good = make(how);
#pragma omp barrier
      counted_times(200);
    }
  }
  region(500);
  if (!strcmp(when, "alone")) return 0;
  return finish("forks", good);
}
