// A program that knows no runtime and opens one.
//
//   collector_late with RUNTIME PLUGIN        the plugin brings the runtime that it needs
//   collector_late "by itself" RUNTIME PLUGIN the runtime is opened first
//   collector_late alone RUNTIME PLUGIN       the runtime is opened, and nothing else until a collector
//                                             has found it
//   collector_late unrelated LIBRARY          a library that is none, and another call of ours
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static void *opened(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  return library;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  if (strcmp(words[1], "unrelated") == 0) {
    if (!opened(words[2])) return 1;
    puts("12");
    return 0;
  }
  if (strcmp(words[1], "by itself") == 0 && !opened(words[2])) return 1;
  if (strcmp(words[1], "alone") == 0) {
    void *runtime = opened(words[2]);
    int (*is_observed)(void) = runtime ? (int (*)(void))dlsym(runtime, "rt_is_observed") : NULL;
    if (!is_observed) return 1;
    while (!is_observed()) sched_yield();
  }
  void *plugin = opened(words[3]);
  int (*call)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin") : NULL;
  return !call || call() != 12;
}
