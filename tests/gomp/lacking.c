// A libgomp with next to nothing in it, a library that calls a function which it lacks, as one built for a
// newer GCC would, and a program that opens the library.
#include <dlfcn.h>
#include <stddef.h>

#include "../programs/check.h"

#if defined(LIBGOMP)
int omp_get_thread_num(void) { return 0; }
int omp_get_num_threads(void) { return 1; }
int omp_get_max_threads(void) { return 1; }
void omp_get_schedule(int *kind, int *chunk) { *kind = *chunk = 1; }
void GOMP_barrier(void) {}
void GOMP_parallel_start(void) {}
void GOMP_parallel(void (*function)(void *), void *data) { function(data); }
#elif defined(LIBRARY)
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
extern void GOMP_taskwait(void);

static void region(void *data) {
  puts(data);
  fflush(stdout);
}

void call(void) {
  GOMP_parallel(region, "in a region", 1, 0);
  GOMP_taskwait();
  puts("after the wait");
}
#else
int main(int count, char **arguments) {
  void *library = dlopen(arguments[count - 1], RTLD_LAZY | RTLD_LOCAL);
  void (*call)(void) = library ? (void (*)(void))dlsym(library, "call") : NULL;
  if (call) call();
  return finish("lacking", call == NULL);
}
#endif
