// Two regions of counted critical sections. Between them it does what its first argument says:
//   as MIB: limits its address space, and needs 20 MiB more in it; the second region has more threads
//   lock: locks its memory, what it has and what comes
//   size: prints how much address space it has with eight threads
//   none: allows itself no more addresses at all while threads of its own come to the runtime for the first time
// run: threads=2 timeout=60
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  counted_times(20);
}

static int limit_addresses(size_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

static int needs_more(size_t bytes) {
  char *more = malloc(bytes);
  if (!more) return 0;
  memset(more, 1, bytes);
  int good = more[bytes / 2];
  free(more);
  return good;
}

static void print_size(void) {
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "VmSize", 6) == 0) fputs(line, stdout);
  fclose(status);
}

static pthread_barrier_t barrier;

static void *late(void *_) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  counted_times(20);
  return 0;
}

static int none(void) {
  pthread_t threads[3];
  pthread_barrier_init(&barrier, 0, 4);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, late, 0);
  pthread_barrier_wait(&barrier);
  int good = limit_addresses(1 << 20);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return good & limit_addresses(RLIM_INFINITY);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  own_counts_open();
  int good = 1, second = 2;
  region(strcmp(what, "lock") == 0 ? 1 : 2);
  if (strcmp(what, "as") == 0) {
    good = limit_addresses((size_t)atoi(arguments[2]) << 20) && needs_more(20 << 20);
    second = 4;
  } else if (strcmp(what, "lock") == 0) {
    good = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    second = 1;
  } else if (strcmp(what, "size") == 0) {
    second = 8;
  } else if (strcmp(what, "none") == 0) {
    good = none();
  }
  if (!good) perror(what);
  region(second);
  if (strcmp(what, "size") == 0) print_size();
  return finish("lowers", good);
}
