// See count.h.
#include "count.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t nowhere[COUNTS];
static uint64_t *counts = nowhere;

void counted(int what) { __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED); }

void count_in_file(void) {
  const char *file = getenv("ORT_COUNTS");
  if (!file) return;
  int fd = open(file, O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, sizeof nowhere) != 0) abort();
  counts = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (counts == MAP_FAILED) abort();
  close(fd);
}
