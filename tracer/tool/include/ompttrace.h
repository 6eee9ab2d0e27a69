/* For programs that ompttrace traces: control of the recording, and phases.
 *
 *   ompttrace_control(command, 0)     start (1), pause (2), flush (3) or end (4) the recording from code
 *   ompttrace_phase_begin("solve")    a phase of the calling thread begins; phases nest
 *   ompttrace_iteration(number)       an iteration of it begins, and the one before ends
 *   ompttrace_phase_end()             the innermost phase ends, and with it the last iteration
 *
 * The program needs no library of ours: the header looks at run time for libompttrace, loaded or linked in, and does nothing without
 * it. On glibc before 2.34 link with -ldl.
 */
#ifndef OMPTTRACE_H
#define OMPTTRACE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ompttrace_start = 1, ompttrace_pause = 2, ompttrace_flush = 3, ompttrace_end = 4 };

/* A runtime loads its tool with dlopen, so a plain reference to ompt_control would stay unresolved. This one looks for libompttrace's
 * own where it is visible (LD_PRELOAD, linked in), else for the runtime's omp_control_tool, which reaches the same tool. */
static inline void ompttrace_control(uint64_t command, uint64_t modifier) {
  /* A null handle is RTLD_DEFAULT on Linux, whose name needs _GNU_SOURCE. Function pointers come
   * through a union: ISO C knows no cast from an object pointer. */
  union {
    void *found;
    void (*ours)(uint64_t, uint64_t);
    int (*runtimes)(int, int, void *);
  } entry;
  if ((entry.found = dlsym((void *)0, "ompt_control")) != 0)
    entry.ours(command, modifier);
  else if ((entry.found = dlsym((void *)0, "omp_control_tool")) != 0)
    entry.runtimes((int)command, (int)modifier, (void *)0);
}

/* The name of the OMPT report. */
#define ompt_control(command, modifier) ompttrace_control((command), (modifier))

/* The table of functions of libompttrace. Later versions only add functions at its end. */
struct ompttrace_phase_functions {
  uint64_t version;
  void (*begin)(const char *name);
  void (*end)(void);
  void (*iteration)(uint64_t number);
};

/* Refers to a table that is linked in or preloaded; null without one. */
extern const struct ompttrace_phase_functions ompttrace_phases __attribute__((weak));

extern char **environ;

/* The state of the search in a source file of the program. Threads may search at the same time: all of them find the same. */
struct ompttrace_search {
  const struct ompttrace_phase_functions *found;
  unsigned tries;
};

/* The library that the variable of OpenMP names, which a runtime loads only with the first construct: phases may begin before it. The
 * runtime gets the same copy. Not in a program with rights that its user lacks, nor where tools are switched off. */
static inline void *ompttrace_open_named(void) {
  const char *names = getenv("OMP_TOOL_LIBRARIES"), *wanted = getenv("OMP_TOOL");
  char path[4096];
  if (getauxval(AT_SECURE) != 0 || (wanted != 0 && strcmp(wanted, "disabled") == 0)) return 0;
  while (names != 0 && *names != 0) {
    size_t length = strcspn(names, ":");
    if (length < sizeof path) {
      memcpy(path, names, length);
      path[length] = 0;
      if (strstr(path, "libompttrace") != 0) return dlopen(path, RTLD_LAZY);
    }
    names += length + (names[length] == ':');
  }
  return 0;
}

static inline const struct ompttrace_phase_functions *ompttrace_find_phases(struct ompttrace_search *search) {
  static const char *const libraries[] = {"libompttrace.so", "libompttrace-gomp.so"};
  const struct ompttrace_phase_functions *found = &ompttrace_phases;
  unsigned tries = __atomic_fetch_add(&search->tries, 1, __ATOMIC_RELAXED), at;
  char **variable;
  /* A tool that comes later is found by one of the next calls, or of every 256th. */
  if (tries > 256 && tries % 256 != 0) return 0;
  if (found == 0) found = (const struct ompttrace_phase_functions *)dlsym((void *)0, "ompttrace_phases");
  for (at = 0; found == 0 && at < 3; at++) {
    void *library = at < 2 ? dlopen(libraries[at], RTLD_LAZY | RTLD_NOLOAD) : ompttrace_open_named();
    if (library == 0) continue;
    found = (const struct ompttrace_phase_functions *)dlsym(library, "ompttrace_phases");
    dlclose(library);
  }
  if (found == 0) {
    /* A library is loaded because a variable names it: without one the search is over. */
    for (variable = environ; variable != 0 && *variable != 0; variable++)
      if (strstr(*variable, "ompttrace") != 0) return 0;
    found = (const struct ompttrace_phase_functions *)search;
  }
  __atomic_store_n(&search->found, found, __ATOMIC_RELEASE);
  return found;
}

/* The functions; null where there are none, or not yet. */
static inline const struct ompttrace_phase_functions *ompttrace_phase_table(void) {
  static struct ompttrace_search search;
  const struct ompttrace_phase_functions *found = __atomic_load_n(&search.found, __ATOMIC_ACQUIRE);
  if (found == 0) found = ompttrace_find_phases(&search);
  /* The search itself stands for a search that is over. */
  return (const void *)found == (const void *)&search ? 0 : found;
}

static inline void ompttrace_phase_begin(const char *name) {
  const struct ompttrace_phase_functions *functions = ompttrace_phase_table();
  if (functions != 0) functions->begin(name);
}

static inline void ompttrace_phase_end(void) {
  const struct ompttrace_phase_functions *functions = ompttrace_phase_table();
  if (functions != 0) functions->end();
}

static inline void ompttrace_iteration(uint64_t number) {
  const struct ompttrace_phase_functions *functions = ompttrace_phase_table();
  if (functions != 0) functions->iteration(number);
}

#ifdef __cplusplus
}
#endif
#endif
