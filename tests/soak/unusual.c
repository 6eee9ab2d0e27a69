// Threads with the smallest stacks, coroutines in a region, and a program that closes descriptors that it does not know, while other
// threads record.
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../programs/coroutine.h"
#include "soak.h"

enum { KIB = 1024, FIRST_CLOSED = 200, LAST_REPLACED = 320 };

static void *small_root(void *its) {
  dice d = *(dice *)its;
  for (int left = 1 + below(&d, 20); left > 0; left--) {
#pragma omp parallel num_threads(2)
    critical_section();
  }
  return NULL;
}

static void small_stack(dice d) {
  pthread_attr_t attributes;
  pthread_t thread;
  dice its = branch(d, 1);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)(16 + 4 * below(&d, 2)) * KIB);
  if (pthread_create(&thread, &attributes, small_root, &its) == 0) pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

static __thread int enters;

static void computes(void) {
  volatile double sum = 0;
  for (int i = 0; i < 20000; i++) sum += i;
  if (enters) critical_section();
}

// Events need some KiB of a stack, samples none.
static void on_small_stacks(dice d) {
  for (int left = 1 + below(&d, 40); left > 0; left--) {
    size_t bytes = (size_t)(4 << below(&d, 3)) * KIB;
    void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return;
    enters = bytes >= 16 * KIB;
    run_on_stack(stack, bytes, computes);
    munmap(stack, bytes);
  }
}

static void coroutines(dice d) {
#pragma omp parallel num_threads(2)
  on_small_stacks(branch(d, omp_get_thread_num()));
}

static void close_or_replace(dice d) {
  int null = below(&d, 2) ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (null < 0) {
    syscall(SYS_close_range, FIRST_CLOSED, ~0u, 0);
    return;
  }
  for (int number = FIRST_CLOSED; number < LAST_REPLACED; number++) dup3(null, number, O_CLOEXEC);
  close(null);
}

static void descriptors(dice d) {
#pragma omp parallel num_threads(3)
  {
    dice own = branch(d, omp_get_thread_num());
    for (int left = 1 + below(&own, 40); left > 0; left--) {
      if (omp_get_thread_num() == 0 && below(&own, 4) == 0) close_or_replace(roll(&own));
      leaf(roll(&own));
    }
  }
}

void unusual_steps(dice d) {
  if (may('t')) small_stack(branch(d, 1));
  if (may('o')) coroutines(branch(d, 2));
  if (may('x')) descriptors(branch(d, 3));
}
