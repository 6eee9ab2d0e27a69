// All that happens to OpenMP happens on a thread, or on a stack for signals, of so many bytes:
//   BYTES use: the first use of all
//   BYTES exit: and exit()
//   BYTES fork: and a fork, whose child uses it as well
//   BYTES signal: the first use is in a signal's handler
// run: threads=1 timeout=30
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/check.h"

static const char *what;
static int sum;

static void use(void) {
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 50; i++) {
#pragma omp critical
    sum++;
  }
}

static void *small(void *unused) {
  use();
  if (!strcmp(what, "exit")) write(1, "ok small_stack\n", 15), exit(0);
  if (!strcmp(what, "fork")) {
    pid_t child = fork();
    if (child == 0) {
      use();
      _exit(sum == 100 ? 7 : 8);
    }
    int status = 0;
    waitpid(child, &status, 0);
    sum += WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1000;
  }
  return unused;
}

static void on_signal(int signal) {
  (void)signal;
  use();
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  size_t bytes = atol(arguments[1]);
  what = arguments[2];
  if (!strcmp(what, "signal")) {
    // A page that nothing may touch lies below it.
    char *memory = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 4096, PROT_NONE);
    stack_t stack = {.ss_sp = memory + 4096, .ss_size = bytes};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
  } else {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, bytes)) return 3;
    pthread_create(&thread, &attributes, small, NULL);
    pthread_join(thread, NULL);
  }
  return finish("small_stack", sum == 50);
}
