// Reports its own addresses: each mark prints its return address with the line and function that
// the compiler knows, the end prints the mappings. Compiles as C and as C++.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
#define NAME(space, name) space::name
namespace heat {
#else
#define NAME(space, name) name
#endif

int table[16];
static int counter;

__attribute__((noinline)) void mark(const char *function, int line) {
  printf("mark %p %d %s\n", __builtin_return_address(0), line, function);
  counter++;
}

static inline __attribute__((always_inline)) int inlined(int x) {
  mark("inlined", __LINE__);
  return x + counter;
}

__attribute__((noinline)) int outer(int x) {
  int y = inlined(x);
  mark("outer", __LINE__);
  return y + counter;
}

#ifdef __cplusplus
template <typename T> struct Field {
  __attribute__((noinline)) T relax(T by) {
    mark("relax", __LINE__);
    return by + counter;
  }
};
}
#endif

static void print_maps(void) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    printf("map %s", line);
  fclose(maps);
}

int main(int argc, char **argv) {
  printf("data %p table\n", (void *)&NAME(heat, table)[0]);
  printf("data %p table+0x8\n", (void *)&NAME(heat, table)[2]);
  printf("function %p outer\n", (void *)&NAME(heat, outer));
  int x = NAME(heat, outer)(argc);
#ifdef __cplusplus
  x += (int)heat::Field<double>().relax(x);
#endif
  if (argc > 1) {
    void *plugin = dlopen(argv[1], RTLD_NOW);
    int (*run)(void (*)(const char *, int)) =
        plugin ? (int (*)(void (*)(const char *, int)))dlsym(plugin, "run_plugin") : NULL;
    if (!run) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    x += run(NAME(heat, mark));
  }
  print_maps();
  fflush(stdout);
  fclose(stdout);
  // Stays until its standard input ends.
  getchar();
  return x == -1;
}
