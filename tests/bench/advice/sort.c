/* The shape of BOTS sort: a merge sort that makes tasks down to a handful of numbers. CURED: down to some thousands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CURED
enum { SMALLEST = 8192 };
#else
enum { SMALLEST = 16 };
#endif
enum { NUMBERS = 1 << 19 };

static unsigned numbers[NUMBERS], beside[NUMBERS];

static void merge(unsigned *from, unsigned *to, long half, long count) {
  long left = 0, right = half;
  for (long at = 0; at < count; at++) {
    int takes_left = left < half && (right >= count || from[left] <= from[right]);
    to[at] = takes_left ? from[left++] : from[right++];
  }
  memcpy(from, to, (size_t)count * sizeof *from);
}

static void insertion(unsigned *from, long count) {
  for (long at = 1; at < count; at++) {
    unsigned number = from[at];
    long to = at;
    for (; to > 0 && from[to - 1] > number; to--) from[to] = from[to - 1];
    from[to] = number;
  }
}

/* Without tasks. */
static void alone(unsigned *from, unsigned *to, long count) {
  if (count <= 16) {
    insertion(from, count);
    return;
  }
  long half = count / 2;
  alone(from, to, half);
  alone(from + half, to + half, count - half);
  merge(from, to, half, count);
}

static void sort(unsigned *from, unsigned *to, long count) {
  if (count <= SMALLEST) {
    alone(from, to, count);
    return;
  }
  long half = count / 2;
#pragma omp task
  sort(from, to, half);
#pragma omp task
  sort(from + half, to + half, count - half);
#pragma omp taskwait
  merge(from, to, half, count);
}

int main(void) {
  unsigned state = 1;
  for (long at = 0; at < NUMBERS; at++) numbers[at] = state = state * 1664525u + 1013904223u;
#pragma omp parallel
#pragma omp single
  sort(numbers, beside, NUMBERS);
  for (long at = 1; at < NUMBERS; at++)
    if (numbers[at - 1] > numbers[at]) return 1;
  printf("%u\n", numbers[NUMBERS / 2]);
  return 0;
}
