// What samples find, and what they must leave alone. Says what it did itself, on lines that begin with a word.
//   hot       two functions in a region, with three quarters and one quarter of each thread's CPU time
//   taken     has a handler for the signal, which counts
//   blocked   blocks the signal in all threads, and takes whatever is pending at the end
//   calls     system calls that would say so if they were interrupted, amid work
//   fork      a child that works, and one that becomes another program
//   alternate a small stack for signals
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
  if (!strcmp(what, "alternate")) {
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
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
    sum = work(1.0);
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
    pid_t child = fork();
    if (!child) {
      sum += much(1, 0.2);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
    child = fork();
    if (!child) {
      execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", (char *)NULL);
      _exit(9);
    }
    waitpid(child, &status, 0);
    printf("other %d\n", status);
  }
  printf("ok samples %d\n", sum == 0.125);
  return 0;
}
