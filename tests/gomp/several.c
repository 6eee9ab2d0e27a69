// A program and a library that it opens for itself alone, each with a libgomp of its own.
#include <dlfcn.h>
#include <stddef.h>

#include "../programs/check.h"

extern void omp_set_num_threads(int);

#ifdef PLUGIN
#define REGION region_of_library
#else
#define REGION region_of_program
#endif

int REGION(void) {
  int team_threads = 0;
#pragma omp parallel reduction(+ : team_threads)
  team_threads++;
  return team_threads;
}

#ifndef PLUGIN
int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*other)(void) = library ? (int (*)(void))dlsym(library, "region_of_library") : NULL;
  if (!other) return finish(dlerror(), 0);
  omp_set_num_threads(3);
  // Found through the library: its own libgomp's.
  void (*set)(int) = (void (*)(int))dlsym(library, "omp_set_num_threads");
  set(5);
  int good = REGION() == 3 && other() == 5 && REGION() == 3 && other() == 5;
  return finish("several", good);
}
#endif
