/* Regions, and tasks where the runtime reports them, under call chains that the program says itself: one construct
 * called from two call sites, recursion, nesting, tasks of several functions. Built for either runtime of this
 * folder (WITH_TASKS: OMPT of 2014, else the Collector API). */
#define SOURCE __BASE_FILE__
#include "../callstacks/chain.h"
#ifdef WITH_TASKS
#include "tr2.h"
#else
#include "collector.h"
#endif

/* The construct that runs a function, and who made it. */
struct made {
  const struct link *by;
  const char *word;
  int line;
};
#define MADE(what) {&here, what, __LINE__}
/* A function that a construct runs is around what it makes itself. */
#define BEGUN(name)                                                      \
  const struct link *before = top;                                       \
  const struct made *made = argument;                                    \
  struct link inside = construct(made->word, made->line, made->by);      \
  struct link here = link_in(name);                                      \
  say(&inside);                                                          \
  here.up = &inside;                                                     \
  top = &here

static void leaf(void *argument) {
  BEGUN("leaf");
  RETURN;
}

NOT_INLINED static void solve(void) {
  FUNCTION("solve");
  struct made made = MADE("parallel"); rt_parallel(3, leaf, &made);
  RETURN;
}

NOT_INLINED static void first(void) {
  FUNCTION("first");
  solve();
  RETURN;
}

NOT_INLINED static void deeper(int depth) {
  FUNCTION("deeper");
  if (depth > 0) deeper(depth - 1);
  else solve();
  RETURN;
}

static void outer(void *argument) {
  BEGUN("outer");
  first();
  RETURN;
}

NOT_INLINED static void nest(void) {
  FUNCTION("nest");
  struct made made = MADE("parallel"); rt_parallel(2, outer, &made);
  RETURN;
}

#ifdef WITH_TASKS
static void spawning(void *argument) {
  BEGUN("spawning");
  struct made one = MADE("task"); rt_task(leaf, &one);
  struct made other = MADE("task"); rt_task(leaf, &other);
  rt_taskwait();
  RETURN;
}

/* Called by the runtime: its frame between the two ends a stack, so that `team` is not reported. */
static void spawn(void *argument) {
  (void)argument;
  struct link here = link_in("spawn");
  here.up = top->up;
  struct made made = MADE("task"); rt_task(spawning, &made);
  rt_taskwait();
  nothing++;
}

static void team(void *argument) {
  BEGUN("team");
  rt_single(spawn, NULL);
  RETURN;
}

NOT_INLINED static void tasks(void) {
  FUNCTION("tasks");
  struct made made = MADE("parallel"); rt_parallel(3, team, &made);
  RETURN;
}
#endif

int main(void) {
  FUNCTION("main");
  solve();
  first();
  deeper(3);
  nest();
#ifdef WITH_TASKS
  tasks();
#endif
  RETURN;
  return 0;
}
