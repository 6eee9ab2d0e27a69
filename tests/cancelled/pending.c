// A thread whose cancellation is pending from before its first region until it asks itself: what the program
// calls in between has no cancellation point of its own, so that without a tool every step is reached.
//   runtime  it is a runtime itself, that starts a tool, and ends
//   start    its first region brings the runtime up, and the tool
//   control  it gives the tool all commands
//   drain    it fills its buffers again and again
//   fork     it forks, and the child does the same
//   exit     it ends the process
// args: what the thread does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern void ompt_control(unsigned long, unsigned long) __attribute__((weak));
extern int omp_control_tool(int, int, void *) __attribute__((weak));

static const char *mode;
static volatile long sum;
static volatile int reached;

static void regions(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(1)
    sum++;
  }
}

static void control(int command) {
  if (ompt_control) ompt_control(command, 0);
  if (omp_control_tool) omp_control_tool(command, 0, NULL);
}

struct tool {
  int (*initialize)(void *(*)(const char *), int, void *);
  void (*finalize)(void *);
  unsigned long data;
};

static void *nothing(const char *name) {
  (void)name;
  return NULL;
}

// True without a tool as well.
static int starts_tool(void) {
  struct tool *(*start)(unsigned, const char *) = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  struct tool *tool = start ? start(201811, "a runtime of this test") : NULL;
  if (!tool) return 1;
  int good = tool->initialize(nothing, 0, &tool->data);
  tool->finalize(&tool->data);
  return good;
}

static int forks(void) {
  int status = -1, old;
  pid_t child = fork();
  if (child == 0) {
    regions(100);
    _exit(7);
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  waitpid(child, &status, 0);
  pthread_setcancelstate(old, NULL);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void *thread(void *unused) {
  (void)unused;
  int good = 1;
  int begins = !strcmp(mode, "start") || !strcmp(mode, "runtime");
  if (!begins) regions(1);
  pthread_cancel(pthread_self());
  if (!strcmp(mode, "runtime")) good = starts_tool();
  if (!strcmp(mode, "start")) regions(100);
  if (!strcmp(mode, "control")) {
    for (int command = 1; command <= 4; command++) control(command);
  }
  if (!strcmp(mode, "drain")) regions(20000);
  if (!strcmp(mode, "fork")) good = forks();
  if (!strcmp(mode, "exit")) exit(5);
  reached = good;
  pthread_testcancel();
  reached = 0;
  return NULL;
}

int main(int count, char **words) {
  void *result = NULL;
  pthread_t one;
  mode = count > 1 ? words[1] : "start";
  if (strcmp(mode, "start") && strcmp(mode, "runtime")) regions(10);
  pthread_create(&one, NULL, thread, NULL);
  pthread_join(one, &result);
  int good = reached && result == PTHREAD_CANCELED;
  // Where the cancelled thread would have left a lock behind, this one would wait for it.
  if (strcmp(mode, "runtime")) regions(1000);
  printf("%s pending\n", good ? "ok" : "WRONG");
  return !good;
}
