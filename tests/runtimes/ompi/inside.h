// What the parts of the runtime know of each other: teams, and the entity that runs.
#pragma once

#include "count.h"
#include "ort.h"

enum { CONSTRUCTS = 64, CANCELLABLE = 4 };

// A work-sharing construct of a team, by its index; none is used twice.
struct construct {
  int taken;                 // a single, or sections so far
  int count;                 // sections
  unsigned long next, turn;  // iterations: given away, and ordered ones that are over
  unsigned done[8];          // iterations of a doacross loop
};

// Where the threads of a team meet.
struct meeting { int arrived, generation; };

struct team {
  outlined function;
  void *shared;
  struct entity *parent;
  int size, level;
#ifdef AVOID_OMPI_DEFAULT_BARRIER
  ee_barrier_t barrier, end;
#else
  struct meeting barrier, end;
#endif
  int cancelled[CANCELLABLE];
  void **copied;             // what a single gives to the others
  int queued;                // tasks
  struct task *first, *last;
  pthread_mutex_t mutex;
  pthread_cond_t moved;
  struct construct constructs[CONSTRUCTS];
};

// A task, and what is kept of it where it runs later. As in OMPi its function comes first, and its address stands
// before its data.
struct task {
  outlined function;
  struct task *parent, *next;
  int children, is_last;
  void *memory;              // its own address, room for more, its data
};

struct entity {
  struct team *team;
  struct entity *outer;      // the entity that it replaced on its thread
  int number, level;
  int construct;             // how many it has come to
  int has_asked;             // for a chunk of that
  unsigned long iteration;
  int ordered;               // dimensions of a doacross loop
  struct task *task, implicit;
  void *info;                // the EELIB's
};

extern __thread struct entity *self;
extern int in_league; // whether its team is at work

// The threads of a team meet: at a barrier, or at the region's end.
void meet_at_barrier(struct team *team);
void meet_at_end(struct team *team);
struct construct *entered(void);
struct construct *current(void);
void init_shared_mutex(pthread_mutex_t *mutex);
void init_shared_condition(pthread_cond_t *condition);
