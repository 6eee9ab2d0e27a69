// Opens a library that brings OpenMP along, uses it, closes it and returns: the runtime may leave
// the process with it, long before its end.
// build: flags=-fno-openmp,-ldl
#include <dlfcn.h>
#include <stdlib.h>

#include "../programs/check.h"

int main(void) {
  void *plugin = dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return finish(dlerror(), 0);
  ((void (*)(void))dlsym(plugin, "plugin_opened"))();
  ((void (*)(int))dlsym(plugin, "plugin_region"))(700);
  dlclose(plugin);
  return finish("unloads", 1);
}
