// Threads of the program's own, one after the other, each with a region and an event after its first destructors: what
// the tool keeps for each is gone with it.
// run: threads=1 timeout=60
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/check.h"

static pthread_key_t key;
static omp_lock_t lock;

static void late(void *_) {
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
}

static void *body(void *_) {
  pthread_setspecific(key, &key);
#pragma omp parallel
  {
#pragma omp critical
    ;
  }
  return 0;
}

static void threads(int count) {
  while (count--) {
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    pthread_join(thread, 0);
  }
}

// KiB of address space.
static long addresses(void) {
  char line[256];
  long size = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) sscanf(line, "VmSize: %ld", &size);
  fclose(status);
  return size;
}

int main(void) {
  pthread_key_create(&key, late);
  omp_init_lock(&lock);
  threads(20);
  long before = addresses();
  threads(400);
  long more = addresses() - before;
  printf("%ld KiB more\n", more);
  return finish("threads", more < 800);
}
