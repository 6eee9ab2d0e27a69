// Counts the program's own critical sections in a file that outlives it: one slot for each thread,
// by the kernel's number of that thread. `begun` is counted before the runtime hears of a critical
// section, `done` when all callbacks of it have returned; so a whole recording holds at least `done`
// and at most `begun` of them, whatever became of the program in between.
#ifndef COUNTED_H
#define COUNTED_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN_THREADS 16384

struct own_count {
  uint64_t thread, begun, done, unused;
};

static struct own_count *own_counts;
static int own_next;
static __thread struct own_count *own_count;

// Counts into the file OWN_COUNTS.<process id>, from slot `first` on: several libraries of a process
// have slots of their own.
static inline void own_counts_open_at(int first) {
  char name[4096];
  const char *stem = getenv("OWN_COUNTS");
  if (!stem) return;
  snprintf(name, sizeof name, "%s.%d", stem, (int)syscall(SYS_getpid));
  int file = open(name, O_RDWR | O_CREAT, 0600);
  size_t size = OWN_THREADS * sizeof(struct own_count);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) abort();
  own_counts = (struct own_count *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (own_counts == MAP_FAILED) abort();
  close(file);
  own_next = first;
  own_count = NULL;
}

// In main, and again in a forked child.
static inline void own_counts_open(void) { own_counts_open_at(0); }

static inline struct own_count *own_slot(void) {
  if (!own_count) {
    static struct own_count nowhere;
    int slot = __atomic_fetch_add(&own_next, 1, __ATOMIC_RELAXED);
    if (slot >= OWN_THREADS) abort();
    own_count = own_counts ? &own_counts[slot] : &nowhere;
    own_count->thread = (uint64_t)syscall(SYS_gettid);
  }
  return own_count;
}

// One critical section, counted. Up to four threads have names of their own: on a busy machine each of
// thousands of waits for one another would cost a time slice.
static inline void counted(void) {
  struct own_count *count = own_slot();
  __atomic_store_n(&count->begun, count->begun + 1, __ATOMIC_RELEASE);
  switch ((uintptr_t)count / sizeof *count % 4) {
    case 0:
#pragma omp critical(counted_0)
      __asm__ volatile("");
      break;
    case 1:
#pragma omp critical(counted_1)
      __asm__ volatile("");
      break;
    case 2:
#pragma omp critical(counted_2)
      __asm__ volatile("");
      break;
    default:
#pragma omp critical(counted_3)
      __asm__ volatile("");
  }
  __atomic_store_n(&count->done, count->done + 1, __ATOMIC_RELEASE);
}

// As many, one after another.
static inline void counted_times(int times) {
  for (int i = 0; i < times; i++) counted();
}

#endif
