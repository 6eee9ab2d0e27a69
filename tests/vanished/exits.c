// Threads that end without a word, by exit(2) in a signal handler, wherever they are; the program goes on and counts
// the locks that each thread took.
// args: how many threads.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/check.h"

static volatile int going;
static volatile long taken;

static void ends(int signal) {
  (void)signal;
  syscall(SYS_exit, 0);
}

static void *thread(void *unused) {
  (void)unused;
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (;;) {
    omp_set_lock(&lock);
    taken++;
    omp_unset_lock(&lock);
    going = 1;
  }
  return NULL;
}

int main(int count, char **words) {
  int threads = count > 1 ? atoi(words[1]) : 1;
  signal(SIGUSR1, ends);
  for (int i = 0; i < threads; i++) {
    pthread_t one;
    going = 0;
    pthread_create(&one, NULL, thread, NULL);
    while (!going) usleep(10);
    usleep(1000 + 37 * i);
    pthread_kill(one, SIGUSR1);
    pthread_join(one, NULL);
  }
  printf("taken %ld\n", taken);
  return finish("exits", 1);
}
