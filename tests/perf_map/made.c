// Makes functions while it runs and lists them for perf, as Python and node do; the one that takes all the time is `hot loop`.
// run: threads=2
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../programs/check.h"

// Counts its argument down.
#if defined(__x86_64__)
static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#else
static const uint32_t loop[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

int main(void) {
  const size_t bytes = 4096;
  char *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name[64];
  memcpy(code + 64, loop, sizeof loop);
  mprotect(code, bytes, PROT_READ | PROT_EXEC);
  __builtin___clear_cache(code, code + bytes);
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(name, "w");
  fprintf(map, "%lx 40 other\n%lx %zx py::hot_loop:/src/made.py\n", (long)code, (long)code + 64, sizeof loop);
  fclose(map);
  void (*hot)(uint64_t) = (void (*)(uint64_t))(uintptr_t)(code + 64);
#pragma omp parallel num_threads(2)
  for (double end = cpu() + 0.1; cpu() < end;) hot(1000000);
  return finish("made", map != NULL);
}
