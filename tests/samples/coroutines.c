// `coroutines BYTES`: each thread of a region computes on stacks of that many bytes, which makecontext gives it, and in those of
// 16 KiB enters critical sections there, too. A pattern in each stack and below it shows how much of it was used.
// run: threads=2 timeout=60
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../programs/coroutine.h"

enum { BELOW = 64 << 10, PATTERN = 0xa5, MILLISECONDS = 400 };

static volatile double sink;
static int enters;

static long processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

__attribute__((noinline)) static void computes(void) {
  double sum = 0;
  for (int i = 0; i < 200000; i++) sum += i;
  sink = sum;
  if (!enters) return;
#pragma omp critical
  sink += 1;
}

int main(int count, char **arguments) {
  size_t bytes = count > 1 ? (size_t)atol(arguments[1]) : 8192;
  long used = 0;
  enters = bytes >= 16384;
#pragma omp parallel num_threads(2) reduction(max : used)
  {
    unsigned char *memory = mmap(NULL, BELOW + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, PATTERN, BELOW + bytes);
    for (long end = processor_time() + MILLISECONDS; processor_time() < end;) run_on_stack(memory + BELOW, bytes, computes);
    size_t unused = 0;
    while (unused < BELOW + bytes && memory[unused] == PATTERN) unused++;
    used = (long)(BELOW + bytes - unused);
  }
  printf("used %ld\nok coroutines 0\n", used);
  return 0;
}
