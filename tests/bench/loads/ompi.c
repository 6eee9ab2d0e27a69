/* What OMPi would translate a load to: explicit barriers, or with TASK empty tasks in batches, each of which is waited
 * for. Argument and answer are those of load.h, whose omp.h is another runtime's. */
#include "../../runtimes/ompi/ort.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static long iterations;

#ifdef TASK
enum { BATCH = 64 };

static volatile long last;

static void *task(void *data) {
  last = *(long *)data;
  ort_taskenv_free(data, task);
  return NULL;
}

static void *region(void *shared) {
  (void)shared;
  if (ort_mysingle(0))
    for (long i = 0; i < iterations; i += BATCH) {
      for (long j = i; j < i + BATCH; j++) {
        long *data = ort_taskenv_alloc(sizeof j, task);
        *data = j;
        ort_new_task(task, data, 0, 0, 0, 0, NULL, 0, 0, 0);
      }
      ort_taskwait(0);
    }
  ort_leaving_single();
  ort_barrier_me();
  ort_taskwait(2);
  return NULL;
}
#else
static void *region(void *shared) {
  (void)shared;
  for (long i = 0; i < iterations; i++) ort_barrier_me();
  ort_taskwait(2);
  return NULL;
}
#endif

static long long carry_out(long count) {
  struct timespec from, to;
  iterations = count;
  clock_gettime(CLOCK_MONOTONIC, &from);
  ort_execute_parallel(region, NULL, -1, 0, 0);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
}

int main(int argc, char **argv) {
  ort_initialize(&argc, &argv, 0, 0);
  long count = argc > 1 ? atol(argv[1]) : 1;
  carry_out(1 + count / 100);
  long long took = carry_out(count);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%lld %ld\n", took, used.ru_maxrss);
  fflush(stdout);
  ort_finalize(0);
}
