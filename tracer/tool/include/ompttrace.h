/* ompt_control for programs: start (1), pause (2), flush (3) or end (4) a recording from code.
 *
 * A runtime loads its tool with dlopen, so a plain reference to ompt_control would stay unresolved.
 * This one looks at run time: libompttrace's own where it is visible (LD_PRELOAD, linked in), else
 * the runtime's omp_control_tool, which reaches the same tool; without either it does nothing. The
 * program needs no library of ours. On glibc before 2.34 link with -ldl.
 */
#ifndef OMPTTRACE_H
#define OMPTTRACE_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ompttrace_start = 1, ompttrace_pause = 2, ompttrace_flush = 3, ompttrace_end = 4 };

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

#ifdef __cplusplus
}
#endif
#endif
