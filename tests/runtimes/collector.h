// A small OpenMP-like runtime with the Sun Collector API: what its programs call. No compiler makes
// these calls; a program writes its regions as functions.
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <pthread.h>

typedef struct {
  pthread_mutex_t mutex;
  int waiting; // threads that wait for it now
} rt_lock;

#define RT_LOCK {PTHREAD_MUTEX_INITIALIZER, 0}

// Runs `body` on so many threads, the caller as number 0, and comes back when all are done.
void rt_parallel(int threads, void (*body)(void *), void *argument);
int rt_thread_num(void);
int rt_num_threads(void);

void rt_barrier(void);          // #pragma omp barrier
void rt_implicit_barrier(void); // at the end of a loop or a single

// Three kinds of waiting on the same kind of lock. Only a thread that has to wait sends events.
void rt_set_lock(rt_lock *lock);
void rt_critical(rt_lock *lock);
void rt_atomic(rt_lock *lock);
void rt_unlock(rt_lock *lock);
int rt_waiting(rt_lock *lock);

// Iterations of an ordered loop, from 0 on; rt_ordered_loop begins such a loop anew, on one thread.
void rt_ordered_loop(void);
void rt_ordered(long iteration);
void rt_end_ordered(void);
int rt_waiting_for_order(void);

int rt_master(void); // whether the caller is to carry out what follows, up to rt_end_master
void rt_end_master(void);
int rt_single(void); // the same; rt_end_single is for the one that did
void rt_end_single(void);

// Whether a collector has asked for the last of all events.
int rt_is_observed(void);

// What the calling thread's region is called, 0 outside of all.
unsigned long rt_region(void);

#endif
