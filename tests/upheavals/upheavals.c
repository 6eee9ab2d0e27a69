// Changes, between two regions or during one, what a tool stands on: descriptors, folders, rights, limits, the process
// itself. Its argument says what.
// run: threads=3 timeout=60
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void region(int times) {
#pragma omp parallel
  counted_times(times);
}

static void closes_during(void) {
#pragma omp parallel
  for (int i = 0; i < 6000; i++) {
    counted();
    if (omp_get_thread_num() == 1 && i % 500 == 0) closefrom(3);
  }
}

// No path leads to files of before.
static int changes_root(void) { return chroot("/proc") == 0 && chdir("/") == 0; }

// Who is not root has no rights to give up, and loses the way instead.
static int gives_up_rights(void) {
  if (getuid() != 0) return changes_root();
  return setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0;
}

static int limits_descriptors(void) {
  struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_NOFILE, &none) == 0;
}

// Goes on in a grandchild that belongs to no terminal; whoever waits for the program waits for that too.
static int becomes_daemon(void) {
  int ends[2];
  char nothing;
  if (pipe(ends) != 0) abort();
  if (fork() != 0) {
    close(ends[1]);
    _exit(read(ends[0], &nothing, 1) != 0);
  }
  close(ends[0]);
  setsid();
  if (fork() != 0) _exit(0);
  own_counts_open();
  for (int file = 0; file < 3; file++) close(file);
  return chdir("/") == 0;
}

// While it works a child does that to it.
static int worked_on(void (*by)(pid_t)) {
  pid_t own = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; i++) by(own), usleep(1000);
    _exit(0);
  }
  // Where only parents may trace there is no tracing.
  for (int status; waitpid(child, &status, WNOHANG) == 0;) region(500);
  return 1;
}

static void stops(pid_t process) {
  kill(process, SIGSTOP);
  usleep(1000);
  kill(process, SIGCONT);
}

static void traces(pid_t process) {
  if (ptrace(PTRACE_SEIZE, process, 0, 0) != 0) return;
  ptrace(PTRACE_INTERRUPT, process, 0, 0);
  waitpid(process, NULL, __WALL);
  ptrace(PTRACE_DETACH, process, 0, 0);
}

static sigjmp_buf before;
static void leap(int signal) { siglongjmp(before, signal); }

// Leaves regions of one thread by their faults.
static int leaps(void) {
  struct sigaction action = {.sa_handler = leap, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 5; i++) {
    if (sigsetjmp(before, 1) != 0) continue;
#pragma omp parallel num_threads(1)
    {
      counted_times(10);
      *(volatile int *)NULL = 1;
    }
  }
  return 1;
}

static void *root(void *unused) {
  region(2000);
  return unused;
}

static int has_small_stacks(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &small, root, NULL) != 0) return 0;
    pthread_join(thread, NULL);
  }
  return 1;
}

static int change(const char *what) {
  if (!strcmp(what, "closes")) return closefrom(3), 1;
  if (!strcmp(what, "closes during")) return closes_during(), 1;
  if (!strcmp(what, "folder")) return chdir("/") == 0;
  if (!strcmp(what, "root")) return changes_root();
  if (!strcmp(what, "rights")) return gives_up_rights();
  if (!strcmp(what, "mask")) return umask(0777), 1;
  if (!strcmp(what, "descriptors")) return limits_descriptors();
  if (!strcmp(what, "daemon")) return becomes_daemon();
  if (!strcmp(what, "stopped")) return worked_on(stops);
  if (!strcmp(what, "traced")) return worked_on(traces);
  if (!strcmp(what, "leaps")) return leaps();
  if (!strcmp(what, "small stacks")) return has_small_stacks();
  return 0;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  // For those who are not root; later there are threads, who cannot.
  if (getuid() != 0 && (!strcmp(what, "root") || !strcmp(what, "rights"))) unshare(CLONE_NEWUSER);
  own_counts_open();
  // So few that nothing of them is in a file yet.
  region(10);
  int good = change(what);
  region(3000);
  // More threads than before.
  omp_set_num_threads(7);
  region(50);
  return finish("upheavals", good);
}
