// Teams and threads of all shapes, by name: many, small, deep, short-lived.
// run: threads=3 env=OMP_MAX_ACTIVE_LEVELS=64 timeout=60
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../programs/check.h"
#include "../programs/counted.h"

enum { ROOTS = 8, SHORT = 4000, SAME = 60, DEEP = 64, CROWD = 300, TARGETS = 300 };

static void *root(void *times) {
  for (int i = 0; i < *(int *)times; i++) {
#pragma omp parallel num_threads(2)
    counted_times(20);
  }
  return NULL;
}

static void *short_lived(void *unused) {
#pragma omp parallel num_threads(1)
  counted();
  return unused;
}

static void start(int threads, void *(*body)(void *), void *argument) {
  pthread_t made[ROOTS];
  for (int i = 0; i < threads; i++) pthread_create(&made[i], NULL, body, argument);
  for (int i = 0; i < threads; i++) pthread_join(made[i], NULL);
}

// main brings the runtime up: critical sections crash in libomp, with any tool, once the thread that
// did so has ended.
static void roots(void) {
  int times = 20;
  counted();
  start(ROOTS, root, &times);
}

static void short_threads(void) {
  counted();
  for (int i = 0; i < SHORT / ROOTS; i++) start(ROOTS, short_lived, NULL);
}

// The kernel gives a new thread the number that follows this one.
static int next_thread_follows(long number) {
  FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
  int written = file && fprintf(file, "%ld", number) > 0;
  return file && fclose(file) == 0 && written;
}

// Goes on in a process that has a namespace of such numbers for itself.
static void alone_among_processes(void) {
  int status = 0;
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) abort();
  pid_t child = fork();
  if (child == 0) return;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

// Whoever waits for a thread goes on a little before the kernel has its number back.
static void wait_until_free(long number) {
  while (syscall(SYS_tgkill, getpid(), number, 0) == 0) usleep(100);
}

// One thread after the other, all with the same number in the kernel.
static int same_ids(void) {
  long last = syscall(SYS_gettid) + 1000;
  int all = 1;
  counted();
  for (int i = 0; i < SAME; i++) {
    all &= next_thread_follows(last);
    start(1, short_lived, NULL);
    wait_until_free(last + 1);
  }
  return all;
}

// Without a device the host runs these, by the runtime's hidden helper threads.
static void helpers(void) {
  counted();
  for (int i = 0; i < TARGETS; i++) {
#pragma omp target nowait
    counted();
  }
#pragma omp taskwait
}

static void one_thread(void) {
  for (int i = 0; i < 500; i++) {
#pragma omp parallel num_threads(1)
    counted();
#pragma omp parallel if (0)
    counted();
  }
}

static void no_iterations(void) {
#pragma omp parallel
  for (int i = 0; i < 200; i++) {
#pragma omp for schedule(dynamic)
    for (int j = 0; j < 0; j++) abort();
#pragma omp for
    for (int j = 5; j < 5; j++) abort();
#pragma omp taskloop
    for (int j = 0; j < 0; j++) abort();
    counted();
  }
}

static void deeper(int levels) {
  counted();
  if (levels == 0) return;
#pragma omp parallel num_threads(2)
  {
    counted();
#pragma omp masked
    deeper(levels - 1);
  }
}

static void deep(void) {
  deeper(DEEP);
  deeper(DEEP);
}

static void crowd(void) {
#pragma omp parallel num_threads(CROWD)
  counted_times(20);
}

int main(int count, char **arguments) {
  const char *shape = count > 1 ? arguments[1] : "";
  int good = count == 2;
  if (!strcmp(shape, "same ids")) alone_among_processes();
  own_counts_open();
  if (!strcmp(shape, "roots")) roots();
  if (!strcmp(shape, "short threads")) short_threads();
  if (!strcmp(shape, "same ids")) good &= same_ids();
  if (!strcmp(shape, "helpers")) helpers();
  if (!strcmp(shape, "one thread")) one_thread();
  if (!strcmp(shape, "no iterations")) no_iterations();
  if (!strcmp(shape, "deep")) deep();
  if (!strcmp(shape, "crowd")) crowd();
  return finish("shapes", good);
}
