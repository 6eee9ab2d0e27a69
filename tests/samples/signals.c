// What a program does with signals of its own while it is sampled. Says what it saw, on lines that begin with a word.
//   calls    blocks in the kernel: calls that are restarted, and those that end early and are repeated
//   later    takes the signal during the run; raises it three times
//   waits    blocks the signal during the run and sends it to itself: sigwaitinfo gets it, with where it came from
//   reads    the same by signalfd
//   tiny     a stack for signals that holds no handler, and none is needed
//   unloads  a library that is opened, used and closed, over and over
//   refused  perf events are refused before the first region
//   ends     sends itself the signal, for which it has no handler
// args: what, and where it is another word the signal's number, or the library.
// build: flags=-ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int number;

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) static double work(double seconds) {
  double x = 1;
  for (double end = cpu() + seconds; cpu() < end;)
    for (int i = 0; i < 10000; i++) x = x * 1.0000001 + 0.5;
  return x;
}

static double regions(int times, double seconds) {
  double sum = 0;
  for (int i = 0; i < times; i++) {
#pragma omp parallel reduction(+ : sum) num_threads(2)
    sum += work(seconds / times);
  }
  return sum;
}

static void *writes(void *end) {
  struct timespec pause = {0, 100000000};
  while (nanosleep(&pause, &pause) && errno == EINTR) {}
  return (void *)(write(*(int *)end, "x", 1) - 1);
}

static void *posts(void *semaphore) {
  struct timespec pause = {0, 100000000};
  while (nanosleep(&pause, &pause) && errno == EINTR) {}
  sem_post(semaphore);
  return NULL;
}

// Calls that Linux restarts behind a handler with SA_RESTART: how often one of them failed.
static int restarted(void) {
  int ends[2], failed = 0;
  char byte;
  pthread_t thread;
  sem_t semaphore;
  if (pipe(ends) || sem_init(&semaphore, 0, 0)) return 100;
  pthread_create(&thread, NULL, writes, &ends[1]);
  failed += read(ends[0], &byte, 1) != 1;
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, posts, &semaphore);
  failed += sem_wait(&semaphore) != 0;
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (!child) {
    usleep(100000);
    _exit(0);
  }
  int status;
  failed += waitpid(child, &status, 0) != child;
  close(ends[0]);
  close(ends[1]);
  return failed;
}

// Calls that end early whatever the handler's flags are: how often they did.
static int ended_early(void) {
  int early = 0;
  struct timespec time = {0, 200000000};
  while (nanosleep(&time, &time) && errno == EINTR) early++;
  struct timeval wait = {0, 100000};
  // Linux takes what has passed from the time.
  while (select(0, NULL, NULL, NULL, &wait) < 0 && errno == EINTR) early++;
  return early;
}

static void calls(void) {
  int failed = 0, early = 0;
#pragma omp parallel num_threads(2) reduction(+ : failed, early)
  {
    work(0.01);
    failed += restarted();
    early += ended_early();
  }
  printf("failed %d\nearly %d\n", failed, early);
}

static volatile int own, others;

static void take(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  if (info->si_code == SI_TKILL) own++;
  else others++;
}

static void later(void) {
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
  sigaction(number, &action, NULL);
  regions(20, 0.05);
  others = 0;
  for (int i = 0; i < 3; i++) raise(number);
  regions(20, 0.3);
  printf("own %d\nothers %d\n", own, others);
}

static sigset_t blocked(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  // Behind the next events nobody samples this thread.
  regions(20, 0.05);
  pthread_kill(pthread_self(), number);
  regions(20, 0.2);
  return set;
}

static void waits(void) {
  sigset_t set = blocked();
  siginfo_t info;
  struct timespec now = {0, 0};
  // The C library makes SI_USER of SI_TKILL here.
  int got = sigwaitinfo(&set, &info) == number && info.si_code == SI_USER && info.si_pid == getpid();
  printf("got %d\nmore %d\n", got, sigtimedwait(&set, NULL, &now) == number);
}

static void reads(void) {
  sigset_t set = blocked();
  struct signalfd_siginfo info[2];
  int events = signalfd(-1, &set, SFD_NONBLOCK);
  int got = read(events, info, sizeof info) == sizeof *info && info->ssi_code == SI_TKILL;
  printf("got %d\nmore %d\n", got, read(events, info, sizeof info) > 0);
}

static void unloads(const char *path) {
  double sum = 0;
  for (int round = 0; round < 150; round++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    double (*loaded)(double, int) = (double (*)(double, int))dlsym(library, "loaded");
    sum += loaded(1, 1000000);
    dlclose(library);
    sum += regions(1, 0.001);
  }
  printf("rounds %d\n", sum > 0 ? 150 : 0);
}

static int forbids_perf(void) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

// Begins again below a filter that a container could have as well: the tool finds it there.
static void refused(char **arguments) {
  if (getenv("BELOW")) return;
  setenv("BELOW", "1", 1);
  if (forbids_perf()) execv("/proc/self/exe", arguments);
  _exit(9);
}

int main(int argc, char **arguments) {
  const char *what = arguments[1];
  number = argc > 2 && atoi(arguments[2]) ? atoi(arguments[2]) : SIGURG;
  static char tiny[2048];
  if (!strcmp(what, "refused")) refused(arguments);
  if (!strcmp(what, "tiny")) {
    stack_t stack = {.ss_sp = tiny, .ss_size = sizeof tiny};
    // Newer kernels may refuse what holds no handler.
    printf("given %d\n", sigaltstack(&stack, NULL) == 0);
  }
  struct timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  double sum = regions(20, 0.4);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  // Its own work is 0.8 s; threads that wait for a core's turn of the other one spin in addition.
  printf("worked %ld\n", (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec);
  if (!strcmp(what, "calls")) calls();
  if (!strcmp(what, "later")) later();
  if (!strcmp(what, "waits")) waits();
  if (!strcmp(what, "reads")) reads();
  if (!strcmp(what, "unloads")) unloads(arguments[2]);
  if (!strcmp(what, "ends")) raise(number);
  printf("ok signals %d\n", sum == 0.125);
  return 0;
}
