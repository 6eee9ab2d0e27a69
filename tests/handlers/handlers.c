// Signal handlers that use OpenMP, in threads that are anywhere: in their own code, in the runtime's, in the tool's.
// Every thread has locks that only its handlers take, so that each attempt succeeds. The last line says how many
// mutexes were acquired. usage: handlers HOW SIGNALS LOCKS
//   timer: SIGNALS come by the clock; inside: interrupts.c raises them in each write of the tool's
//   stack: as timer, on an alternate stack; nested: as timer, and each handler is interrupted by one more
//   leaps: as inside, and the handlers never return
// run: threads=4 timeout=60
#define _GNU_SOURCE
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static _Thread_local omp_lock_t locks[2];
static _Thread_local char stack[65536];
static int times, nests, failed;
static volatile int handled;
static _Atomic long acquired;

static void use(omp_lock_t *lock) {
  for (int i = 0; i < times; i++) {
    if (!omp_test_lock(lock)) failed = 1;
    else omp_unset_lock(lock);
    acquired++;
  }
}

static void inner(int signal) {
  (void)signal;
  use(&locks[1]);
}

static void outer(int signal) {
  (void)signal;
  handled++;
  use(&locks[0]);
  if (nests) raise(SIGUSR2);
}

static void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};
  sigaction(signal, &action, NULL);
}

static void prepare(void) {
#pragma omp parallel
  {
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    omp_init_lock(&locks[0]);
    omp_init_lock(&locks[1]);
  }
}

static void work(void) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 50; i++) __asm__ volatile("");
}

static sigjmp_buf before;
static void leap(int signal) { siglongjmp(before, signal); }

// Serial code, in which the runtime has nothing of its own to lose.
static void leaps(volatile int left) {
  static omp_lock_t lock;
  install(SIGUSR1, leap, 0);
  sigsetjmp(before, 1);
  omp_init_lock(&lock);
  while (left-- > 0)
    for (int i = 0; i < 400; i++)
      if (omp_test_lock(&lock)) omp_unset_lock(&lock);
  install(SIGUSR1, SIG_DFL, 0);
  times = 1000;
  use(&locks[0]);
  work();
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  const char *how = arguments[1];
  int wanted = atoi(arguments[2]), inside = !strcmp(how, "inside");
  times = atoi(arguments[3]), nests = !strcmp(how, "nested");
  prepare();
  if (!strcmp(how, "leaps")) return leaps(wanted), puts("ok"), failed;
  install(SIGUSR2, inner, 0);
  install(inside ? SIGUSR1 : SIGALRM, outer, strcmp(how, "stack") ? 0 : SA_ONSTACK);
  struct itimerval often = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
  if (!inside) setitimer(ITIMER_REAL, &often, NULL);
  while (handled < wanted) work();
  setitimer(ITIMER_REAL, &never, NULL);
  install(SIGUSR1, SIG_DFL, 0);
  // Handlers that are under way in other threads come to their end.
  work();
  if (failed) puts("a lock of a handler's own was taken");
  printf("acquired %ld\n", acquired);
  return failed;
}
