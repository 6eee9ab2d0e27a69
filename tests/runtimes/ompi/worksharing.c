// Loops, sections, single: each thread comes to the team's constructs in the same order.
#include "inside.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct construct alone; // of a thread that is in no team

struct construct *entered(void) {
  if (self->construct == CONSTRUCTS) abort();
  self->construct++;
  return current();
}

struct construct *current(void) {
  if (!self->team) return &alone;
  return &self->team->constructs[self->construct - 1];
}

// ---- single

int ort_mysingle(int nowait) {
  (void)nowait;
  int taken = __atomic_exchange_n(&entered()->taken, 1, __ATOMIC_SEQ_CST);
  counted(taken ? COUNT_singles_of_others : COUNT_singles);
  return !taken;
}

void ort_leaving_single(void) {}

void ort_broadcast_private(int count, ...) {
  void **copied = calloc(count, sizeof *copied);
  va_list all;
  va_start(all, count);
  for (int at = 0; at < count; at++) copied[at] = va_arg(all, void *);
  va_end(all);
  self->team->copied = copied;
}

void ort_copy_private(int count, ...) {
  va_list all;
  va_start(all, count);
  for (int at = 0; at < count; at++) {
    void *to = va_arg(all, void *);
    int bytes = va_arg(all, int);
    if (to != self->team->copied[at]) memcpy(to, self->team->copied[at], bytes);
  }
  va_end(all);
}

// ---- sections

void ort_entering_sections(int nowait, int count) {
  (void)nowait;
  entered()->count = count;
  counted(COUNT_section_regions);
}

int ort_get_section(void) {
  counted(COUNT_asked_again);
  struct construct *here = current();
  int section = __atomic_fetch_add(&here->taken, 1, __ATOMIC_SEQ_CST);
  if (section >= here->count || self->team->cancelled[3]) return -1;
  counted(COUNT_sections);
  return section;
}

void ort_leaving_sections(void) {}

// ---- loops

void ort_entering_for(int nowait, int ordered) {
  (void)nowait, (void)ordered;
  entered();
  self->has_asked = 0;
  counted(COUNT_loops);
}

void ort_entering_doacross(int nowait, int ordered, int collapsed, int schedule, int size, long nest[][3]) {
  (void)nowait, (void)collapsed, (void)schedule, (void)size, (void)nest;
  entered();
  self->ordered = ordered;
  self->has_asked = 0;
  counted(COUNT_doacross);
}

int ort_leaving_for(void) {
  counted(COUNT_loops_left);
  return 0;
}

static int is_cancelled(void) { return self->team && self->team->cancelled[2]; }

static int take(unsigned long iterations, unsigned long size, unsigned long *first, unsigned long *end) {
  *first = __atomic_fetch_add(&current()->next, size, __ATOMIC_SEQ_CST);
  if (*first >= iterations || is_cancelled()) return 0;
  *end = *first + size < iterations ? *first + size : iterations;
  return 1;
}

// The thread asks for a chunk; of a loop of which it had one it is through with that.
static void asks(void) {
  if (self->has_asked) counted(COUNT_asked_again);
  self->has_asked = 1;
}

int ort_get_dynamic_chunk(unsigned long iterations, unsigned long size, int monotonic, unsigned long *first,
                          unsigned long *end, int *extra) {
  (void)monotonic, (void)extra;
  asks();
  if (!take(iterations, size, first, end)) return 0;
  counted(COUNT_dynamic_chunks);
  return 1;
}

// Chunks that do not shrink: what counts is how many there are.
int ort_get_guided_chunk(unsigned long iterations, unsigned long size, int monotonic, unsigned long *first,
                         unsigned long *end, int *extra) {
  (void)monotonic, (void)extra;
  asks();
  if (!take(iterations, 2 * size, first, end)) return 0;
  counted(COUNT_guided_chunks);
  return 1;
}

int ort_get_static_default_chunk(unsigned long iterations, unsigned long *first, unsigned long *end) {
  unsigned long size = omp_get_num_threads(), number = self->number;
  *first = iterations * number / size;
  *end = iterations * (number + 1) / size;
  if (*first == *end) return 0;
  counted(COUNT_static_shares);
  return 1;
}

int ort_get_runtimestatic_chunk(unsigned long iterations, unsigned long size, int monotonic, unsigned long *first,
                                unsigned long *end, int *extra) {
  (void)size, (void)monotonic;
  asks();
  if (*extra == 1) return 0;
  *extra = 1;
  unsigned long threads = omp_get_num_threads(), number = self->number;
  *first = iterations * number / threads;
  *end = iterations * (number + 1) / threads;
  if (*first == *end) return 0;
  counted(COUNT_runtime_chunks);
  return 1;
}

void ort_get_runtime_schedule_stuff(chunky *function, unsigned long *size) {
  const char *schedule = getenv("OMP_SCHEDULE");
  *size = 1;
  *function = ort_get_runtimestatic_chunk;
  if (schedule && strcmp(schedule, "dynamic") == 0) *function = ort_get_dynamic_chunk;
  if (schedule && strcmp(schedule, "guided") == 0) *function = ort_get_guided_chunk;
}

// ---- order

void ort_for_curriter(unsigned long iteration) { self->iteration = iteration; }

void ort_ordered_begin(void) {
  while (__atomic_load_n(&current()->turn, __ATOMIC_SEQ_CST) != self->iteration) sched_yield();
  counted(COUNT_ordered);
}

void ort_ordered_end(void) { __atomic_fetch_add(&current()->turn, 1, __ATOMIC_SEQ_CST); }

// The number of an iteration of a nest of one or two loops; below 0: it is none.
static long number(long nest[][3], const long *index) {
  long number = 0;
  for (int at = 0; at < self->ordered; at++) {
    long step = (index[at] - nest[at][0]) / nest[at][1];
    if (index[at] < nest[at][0] || step >= nest[at][2]) return -1;
    number = number * nest[at][2] + step;
  }
  return number;
}

void ort_doacross_post(long nest[][3], long *index) {
  long iteration = number(nest, index);
  __atomic_fetch_or(&current()->done[iteration / 32], 1u << iteration % 32, __ATOMIC_SEQ_CST);
  counted(COUNT_sources);
}

void ort_doacross_wait(long nest[][3], int count, long *indices) {
  for (int at = 0; at < count; at++) {
    long iteration = number(nest, indices + at * self->ordered);
    unsigned *word = &current()->done[iteration / 32];
    while (iteration >= 0 && !(__atomic_load_n(word, __ATOMIC_SEQ_CST) >> iteration % 32 & 1)) sched_yield();
    counted(COUNT_sinks);
  }
}
