// A region of two threads, in whose middle each calls a library that brings another runtime along, for the first time. Prints
// the nanoseconds of the region by its own clock.
// build: flags=-ldl
// run: threads=2
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../programs/check.h"

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void work(long nanoseconds) {
  for (long end = now() + nanoseconds; now() < end;) {
  }
}

int main(void) {
  void *plugin = dlopen(getenv("GUEST"), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return finish(dlerror(), 0);
  int (*iterations)(int) = (int (*)(int))dlsym(plugin, "iterations");
  int done = 0;
  long begin = now();
#pragma omp parallel num_threads(2) reduction(+ : done)
  {
    work(20000000);
    done += iterations(10);
    work(20000000);
    done += iterations(10);
  }
  printf("%ld\n", now() - begin);
  return finish("host", done == 40);
}
