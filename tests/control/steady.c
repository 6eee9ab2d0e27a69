// Regions with a lock, for commands from outside. `steady`: until stdin ends. `busy`: without a rest between them. `on demand`:
// one for each byte on stdin. Prints the number of regions.
// run: threads=2
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long regions;

__attribute__((noinline)) static void region(omp_lock_t *lock, int rounds) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < rounds; i++) {
    omp_set_lock(lock);
    omp_unset_lock(lock);
  }
  regions++;
}

static int has_input(int patience) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  return poll(&in, 1, patience) != 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "steady";
  int busy = strcmp(mode, "busy") == 0, on_demand = strcmp(mode, "on demand") == 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  char byte;
  if (on_demand)
    while (read(0, &byte, 1) == 1) {
      region(&lock, 3);
      printf("%ld\n", regions);
      fflush(stdout);
    }
  else
    while (!has_input(busy ? 0 : 1)) region(&lock, busy ? 500 : 3);
  printf("regions %ld\n", regions);
  return 0;
}
