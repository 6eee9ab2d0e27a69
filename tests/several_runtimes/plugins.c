// Has no OpenMP itself but opens libraries that have: PLUGIN and OTHER.
// build: flags=-fno-openmp,-ldl
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/check.h"

enum { SOME = 700 };

typedef void call(int);

// Opens the library that the environment names and lets it count from a slot of its own on.
static void *opened(const char *variable, int first) {
  void *plugin = dlopen(getenv(variable), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    finish(dlerror(), 0);
    exit(1);
  }
  ((call *)dlsym(plugin, "plugin_counts_at"))(first);
  return plugin;
}

static void *region(void *plugin) {
  ((call *)dlsym(plugin, "plugin_region"))(SOME);
  return NULL;
}

static void again(void) {
  for (int i = 0; i < 4; i++) {
    void *plugin = opened("PLUGIN", 100 * i);
    region(plugin);
    dlclose(plugin);
  }
}

static void both(void) {
  void *plugin = opened("PLUGIN", 0), *other = opened("OTHER", 100);
  for (int i = 0; i < 3; i++) {
    region(plugin);
    region(other);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, region, other);
  region(plugin);
  pthread_join(thread, NULL);
}

// One runtime leaves while the other works on.
static void one_leaves(void) {
  void *plugin = opened("PLUGIN", 0), *other = opened("OTHER", 100);
  region(plugin);
  region(other);
  dlclose(plugin);
  region(other);
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  if (!strcmp(how, "again")) again();
  if (!strcmp(how, "both")) both();
  if (!strcmp(how, "one leaves")) one_leaves();
  return finish("plugins", count == 2);
}
