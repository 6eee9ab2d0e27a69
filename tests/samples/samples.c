// What samples find, and what they must leave alone. Says what it did itself, on lines that begin with a word.
//   hot       two functions in a region, with three quarters and one quarter of each thread's CPU time
//   taken     has a handler for the signal, which counts
//   blocked   blocks the signal in all threads, and takes whatever is pending at the end
//   calls     system calls that would say so if they were interrupted, during work
//   fork      a child that works and looks what it has inherited, and one that becomes another program
//   descriptors counts what the process has of perf events
//   alternate a small stack for signals
//   disarmed  the same, which the kernel takes away in handlers (SS_AUTODISARM)
//   blamed    a thread in a critical section or a single while the other one waits, and tasks
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) static double turn(double x, double factor) {
  for (int i = 0; i < 1000; i++)
    x = x * factor + 0.5;
  return x;
}
// Each of them has a loop of its own, so that no time is in a function that both call.
__attribute__((noinline)) double much(double x, double seconds) {
  for (double end = cpu() + seconds; cpu() < end;)
    for (int i = 0; i < 100000; i++)
      x = x * 1.0000001 + 0.5;
  return x;
}
__attribute__((noinline)) double little(double x, double seconds) {
  for (double end = cpu() + seconds; cpu() < end;)
    for (int i = 0; i < 100000; i++)
      x = x * 0.9999999 + 0.25;
  return x;
}

__attribute__((noinline)) double chore(double x, double seconds) {
  for (double end = cpu() + seconds; cpu() < end;)
    for (int i = 0; i < 100000; i++)
      x = x * 1.0000002 + 0.125;
  return x;
}

// Of the time in much, others wait for the critical section in one half and at the barrier in the other; in little they
// wait at the end of the single.
static double blamed(void) {
  double sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp critical
    sum += much(1, 0.3);
#pragma omp barrier
#pragma omp single
    sum += little(1, 0.3);
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
      chore(1, 0.1);
    }
  }
  return sum;
}

static volatile int taken;
static void take(int signal) { taken++; }

static double work(double seconds) {
  double sum = 0;
  for (int round = 0; round < 10; round++) {
#pragma omp parallel reduction(+ : sum) num_threads(2)
    {
      sum += much(1, seconds * 0.75 / 10);
      sum += little(1, seconds * 0.25 / 10);
    }
  }
  return sum;
}

static int interrupted(void) {
  int count = 0;
  double x = 1;
  for (int round = 0; round < 200; round++) {
    x = turn(x, 1.0000001);
    for (double end = cpu() + 0.001; cpu() < end;)
      x = turn(x, 1.0000001);
    struct timespec time = {0, 300000};
    count += nanosleep(&time, NULL) != 0;
    struct timeval wait = {0, 300};
    count += select(0, NULL, NULL, NULL, &wait) < 0;
  }
  return count + (x == 0);
}

// Lines of a file in /proc that have a word.
static int lines_with(const char *path, const char *word) {
  char line[4096];
  int count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) count += strstr(line, word) != NULL;
  if (file) fclose(file);
  return count;
}

// Descriptors of perf events.
static int descriptors(void) {
  char path[64], target[64];
  int count = 0;
  for (int fd = 0; fd < 1024; fd++) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    count += strstr(target, "perf_event") != NULL;
  }
  return count;
}

// A child, which has neither perf events nor timers, and sleeps as long as it wants to.
static int child(void) {
  int armed = lines_with("/proc/self/maps", "perf_event") + lines_with("/proc/self/timers", "ID:");
  struct timespec time = {0, 50000000};
  int early = nanosleep(&time, NULL) != 0;
  return (much(1, 0.2) == 0.125) + 2 * early + 4 * armed;
}

int main(int argc, char **argv) {
  const char *what = argv[1];
  int number = SIGURG;
  if (!strcmp(what, "taken")) {
    struct sigaction action = {.sa_handler = take};
    sigaction(number, &action, NULL);
  }
  if (!strcmp(what, "blocked")) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
  }
  static char small[8192];
  if (!strcmp(what, "alternate") || !strcmp(what, "disarmed")) {
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
    if (!strcmp(what, "disarmed")) stack.ss_flags = (int)(1u << 31);
    sigaltstack(&stack, NULL);
  }
  double sum = 0;
  if (!strcmp(what, "calls")) {
    int count = 0;
#pragma omp parallel reduction(+ : count) num_threads(2)
    count += interrupted();
    printf("interrupted %d\n", count);
  } else if (!strcmp(what, "blamed")) {
    sum = blamed();
  } else {
    // Shares are those of many samples.
    sum = work(strcmp(what, "hot") ? 0.4 : 1.0);
  }
  if (!strcmp(what, "taken")) {
    raise(number);
    printf("taken %d\n", taken);
  }
  if (!strcmp(what, "blocked")) {
    sigset_t pending;
    sigpending(&pending);
    printf("pending %d\n", sigismember(&pending, number));
  }
  if (!strcmp(what, "fork")) {
    pid_t child_pid = fork();
    if (!child_pid) _exit(child());
    int status;
    waitpid(child_pid, &status, 0);
    printf("child %d\n", status);
    child_pid = fork();
    if (!child_pid) {
      execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", (char *)NULL);
      _exit(9);
    }
    waitpid(child_pid, &status, 0);
    printf("other %d\n", status);
  }
  if (!strcmp(what, "descriptors")) printf("descriptors %d\n", descriptors());
  printf("ok samples %d\n", sum == 0.125);
  return 0;
}
