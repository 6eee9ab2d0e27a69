// A program for the runtime with the Collector API that makes every event happen, each wait for sure:
// whoever holds a mutex gives it back when somebody waits for it.
//
//   collector_program [regions] [threads] [control | kill | fork | fork-inside]
//
// With `control` it pauses the tool for its second region; with `kill` it is killed in its last region, all of
// whose threads are in it; with `fork` a child goes on alone and has teams of one; with `fork-inside` the child
// is made within a region. It prints the addresses of its mutexes.
#include "collector.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern void ompt_control(unsigned long, unsigned long) __attribute__((weak));

static rt_lock lock = RT_LOCK, critical = RT_LOCK, atomic = RT_LOCK;
static long sum;

// Thread 0 holds the mutex until another one waits for it; the rest come later.
static void contend(rt_lock *mutex, void (*take)(rt_lock *)) {
  if (rt_thread_num() == 0) take(mutex);
  rt_barrier();
  if (rt_thread_num() == 1) take(mutex), sum++, rt_unlock(mutex);
  if (rt_thread_num() == 0) {
    while (!rt_waiting(mutex)) sched_yield();
    rt_unlock(mutex);
  }
  rt_barrier();
  take(mutex), sum++, rt_unlock(mutex);
}

static void inner(void *unused) {
  (void)unused;
  rt_barrier();
}

// The last thread begins with the first iteration only when another one waits for its turn.
static void in_order(void) {
  int last = rt_num_threads() - 1, iteration = last - rt_thread_num();
  if (rt_master()) rt_ordered_loop(), rt_end_master();
  rt_barrier();
  if (iteration == 0)
    while (!rt_waiting_for_order()) sched_yield();
  rt_ordered(iteration);
  sum++;
  rt_end_ordered();
  rt_implicit_barrier();
}

static void everything(void *unused) {
  (void)unused;
  contend(&lock, rt_set_lock);
  contend(&critical, rt_critical);
  contend(&atomic, rt_atomic);
  if (rt_single()) sum++, rt_end_single();
  rt_implicit_barrier();
  in_order();
  if (rt_thread_num() == 1) rt_parallel(2, inner, NULL);
}

static void killed(void *unused) {
  (void)unused;
  rt_barrier();
  if (rt_thread_num() == 0) kill(getpid(), SIGKILL);
  rt_barrier();
}

// Of the runtime's threads a child has none; a team of its own needs none either.
static int child(void) {
  for (int region = 0; region < 3; region++) rt_parallel(1, inner, NULL);
  return 0;
}

static int failed;

static void forking(void *unused) {
  (void)unused;
  rt_barrier();
  if (rt_thread_num() == 0) {
    pid_t pid = fork();
    if (pid == 0) {
      rt_set_lock(&lock), rt_unlock(&lock);
      exit(child());
    }
    int status;
    failed |= waitpid(pid, &status, 0) != pid || status != 0;
  }
  rt_barrier();
}

static void last(const char *how) {
  if (strcmp(how, "kill") == 0) rt_parallel(4, killed, NULL);
  if (strcmp(how, "fork-inside") == 0) rt_parallel(3, forking, NULL);
  if (strcmp(how, "fork") == 0) {
    pid_t pid = fork();
    if (pid == 0) exit(child());
    int status;
    failed |= waitpid(pid, &status, 0) != pid || status != 0;
  }
}

int main(int count, char **words) {
  int regions = count > 1 ? atoi(words[1]) : 3, threads = count > 2 ? atoi(words[2]) : 4;
  int control = count > 3 && strcmp(words[3], "control") == 0 && ompt_control;
  for (int region = 0; region < regions; region++) {
    if (control && region == 1) ompt_control(2, 0);
    rt_parallel(threads, everything, NULL);
    if (control && region == 1) ompt_control(1, 0);
  }
  if (count > 3) last(words[3]);
  printf("lock %p critical %p atomic %p\n", (void *)&lock, (void *)&critical, (void *)&atomic);
  return failed || rt_region() != 0;
}
