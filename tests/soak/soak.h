// A program that a seed decides: what it is made of, by file. `soak.c` has main and the endings.
//
// Three kinds of steps, by where they are allowed:
//   outer  by an initial thread, outside of all regions      (outer.c, processes.c)
//   team   by all threads of a team, with the same dice      (team.c)
//   inner  by one thread that holds nothing, inside anything (inner.c, tasks.c, mutexes.c, cancel.c)
// A leaf is a little work and no construct that could wait for another thread's tasks.
#ifndef SOAK_H
#define SOAK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The state of a walk. Every copy walks the same way.
typedef uint64_t dice;

static inline uint64_t roll(dice *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// One of the numbers below `limit`.
static inline int below(dice *state, int limit) { return (int)(roll(state) % (unsigned)limit); }

// A walk of its own for team thread or iteration `n`.
static inline dice branch(dice state, int n) {
  state ^= (uint64_t)n * 0xd6e8feb86659fd93u;
  return roll(&state);
}

typedef void step(dice, int depth);

// Whether the tool records. It changes only while no other thread is inside of anything.
extern int volatile recording;
// What this run may do beside regions, a letter each:
//   p pause the tool   r several roots   f other processes   s soft pauses   k locks
//   y storms of context switches
//   t threads with small stacks   o coroutines   x closed and replaced descriptors
int may(char what);
void may_only(const char *what);
// This program's own path, for processes that become it.
extern const char *self;

// What may still be done: a step that would begin something larger takes from it, so that a run
// ends. True while there is any.
int may_go_on(void);
void give_work(long steps);

void leaf(dice d);
void outer_steps(dice d, int depth);
void team_steps(dice d, int depth);
void inner_steps(dice d, int depth);
// Beside these steps, what few programs do (unusual.c).
void unusual_steps(dice d);

// A region whose team takes team_steps: the way into the depth.
step region;

step cancelled_loop, cancelled_sections, cancelled_region, cancelled_taskgroup;
step some_tasks, some_taskloop, some_dependences, some_reducing_tasks;
step some_locks, some_nested_locks;

step some_detached;                             // outer

// Before the first region.
void make_locks(void);

// A runtime that has not started refuses commands to the tool.
void start_runtime(void);

// Gives the tool a command, by ompt_control or by omp_control_tool, and has the oracle know.
void give_command(int command, int by_name);

// Makes another process, which counts for itself: outside of all regions, with no other root.
void other_process(dice d, int depth);
// The same inside a region, where a child may only leave or become another program.
void process_in_region(dice d);

// A critical section, counted where it is recorded.
void critical_section(void);
// In main, and again in a forked child.
void count_anew(void);

#endif
