// The constructs of the program, by kind.
#pragma once

#include "ort.h"

struct shared {
  long done;
  omp_lock_t lock, hinted, nest;
};

extern void *_ompi_crity;

void work(struct shared *shared, long amount);
void make_locks(struct shared *shared);
void remove_locks(struct shared *shared);
// Inside a region, by every thread:
void loops(struct shared *shared);
void others(struct shared *shared);
void tasks(struct shared *shared);
// Outside of all of them:
void outside(struct shared *shared);
