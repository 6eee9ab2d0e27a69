// A host runtime in the shape of OMPi's ORT, made of "The host thread/process interface in OMPi" (2016): what code
// that OMPi has translated calls, what an execution entity library (EELIB) has to supply, and what is supplied to it.
//
// Execution entities are threads, or processes with EE_TYPE_PROCESS. What they share lies in memory that forked
// processes share as well. Every call that a record follows from is counted (count.h).
#pragma once

#include <pthread.h>
#include <stddef.h>

typedef void *(*outlined)(void *);
typedef void *omp_lock_t;

// ---- called by translated code

int ort_initialize(int *argc, char ***argv, int embedded, int modules, ...);
void ort_finalize(int value) __attribute__((noreturn));
void ort_execute_parallel(outlined function, void *shared, int threads, int combined, int bind);
void ort_execute_serial(outlined function, void *shared);
void ort_start_teams(outlined function, void *shared, int teams, int limit);

void ort_new_task(outlined function, void *data, int now, int last, int untied, int priority, void **list, int outputs,
                  int inputs, int both);
void *ort_taskenv_alloc(int bytes, outlined function);
void ort_taskenv_free(void *data, outlined function);
int ort_task_throttling(void);
void *ort_task_immediate_start(int last);
void ort_task_immediate_end(void *task);
void ort_taskwait(int how);
void ort_entering_taskgroup(void);
void ort_leaving_taskgroup(void);

int ort_barrier_me(void);
void ort_fence(void);
void ort_critical_begin(void **name);
void ort_critical_end(void **name);
void ort_atomic_begin(void);
void ort_atomic_end(void);
int ort_enable_cancel(int what);
int ort_check_cancel(int what);

int ort_mysingle(int nowait);
void ort_leaving_single(void);
void ort_broadcast_private(int count, ...);
void ort_copy_private(int count, ...);
void ort_entering_sections(int nowait, int count);
int ort_get_section(void);
void ort_leaving_sections(void);
void ort_entering_for(int nowait, int ordered);
void ort_entering_doacross(int nowait, int ordered, int collapsed, int schedule, int size, long nest[][3]);
int ort_leaving_for(void);
void ort_for_curriter(unsigned long iteration);
void ort_ordered_begin(void);
void ort_ordered_end(void);
void ort_doacross_post(long nest[][3], long *index);
void ort_doacross_wait(long nest[][3], int count, long *indices);

typedef int (*chunky)(unsigned long iterations, unsigned long size, int monotonic, unsigned long *first,
                      unsigned long *end, int *extra);
int ort_get_static_default_chunk(unsigned long iterations, unsigned long *first, unsigned long *end);
int ort_get_dynamic_chunk(unsigned long, unsigned long, int, unsigned long *, unsigned long *, int *);
int ort_get_guided_chunk(unsigned long, unsigned long, int, unsigned long *, unsigned long *, int *);
int ort_get_runtimestatic_chunk(unsigned long, unsigned long, int, unsigned long *, unsigned long *, int *);
void ort_get_runtime_schedule_stuff(chunky *function, unsigned long *size);

#define REDUCTIONS(X) \
  X(add) X(subtract) X(multiply) X(and) X(or) X(max) X(min) X(bitand) X(bitor) X(bitxor)
#define DECLARE(operation) void ort_reduce_##operation(int type, void *local, void *global, int count);
REDUCTIONS(DECLARE)
void ort_reduction_begin(void **lock);
void ort_reduction_end(void **lock);

void *ort_start_target_data(int variables, int device);
void ort_end_target_data(void *environment);
void ort_map_var_dev(void *variable, unsigned long bytes, void *low, int pointer, int device, int init);
void ort_unmap_var_dev(void *variable, int device, int update, int remove);
void ort_read_var_dev(void *variable, unsigned long bytes, void *low, int device);
void ort_write_var_dev(void *variable, unsigned long bytes, void *low, int device);
void ort_offload_kernel(outlined kernel, void *variables, void *declared, char *file, int device, ...);
void ort_execute_kernel_on_host(outlined kernel, void *variables);

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_in_final(void);
int omp_in_parallel(void);

void omp_init_lock(omp_lock_t *lock);
void omp_init_lock_with_hint(omp_lock_t *lock, unsigned hint);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_lock_t *lock);
void omp_destroy_nest_lock(omp_lock_t *lock);
void omp_set_nest_lock(omp_lock_t *lock);
void omp_unset_nest_lock(omp_lock_t *lock);
int omp_test_nest_lock(omp_lock_t *lock);

// ---- supplied by the EELIB (2.1 to 2.5 of the document); for processes its functions begin with oprc_

#ifdef EE_TYPE_PROCESS
#define EE(name) oprc_##name
#else
#define EE(name) othr_##name
#endif

enum { ORT_LOCK_NORMAL, ORT_LOCK_NEST, ORT_LOCK_SPIN };

typedef struct {
  int kind, count;
  void *owner;
  pthread_mutex_t mutex;
  pthread_cond_t free;
} ee_lock_t;

typedef struct { int nthreads, stacksize; } ort_icvs_t;
typedef struct { int supports_nested, max_levels_supported, default_numthreads; } ort_caps_t;

int EE(initialize)(int *argc, char ***argv, ort_icvs_t *icvs, ort_caps_t *caps);
void EE(finalize)(int value);
int EE(request)(int entities, int level);
void EE(create)(int entities, int level, void *secret, void **info);
void EE(waitall)(void **info);
int EE(yield)(void);
int EE(init_lock)(ee_lock_t *lock, int kind);
int EE(destroy_lock)(ee_lock_t *lock);
int EE(set_lock)(ee_lock_t *lock);
int EE(unset_lock)(ee_lock_t *lock);
int EE(test_lock)(ee_lock_t *lock);

// Its own barriers and tasks, where it has them (3.2, 3.3). The document leaves open what those of tasks are given: it is
// what they need.
#ifdef AVOID_OMPI_DEFAULT_BARRIER
typedef struct {
  int size, arrived, generation;
  pthread_mutex_t mutex;
  pthread_cond_t moved;
} ee_barrier_t;

void EE(barrier_init)(ee_barrier_t *barrier, int entities);
void EE(barrier_wait)(ee_barrier_t *barrier, int number);
void EE(barrier_destroy)(ee_barrier_t *barrier);
#endif

#ifdef AVOID_OMPI_DEFAULT_TASKS
void *EE(taskenv_alloc)(int bytes, outlined function);
void EE(taskenv_free)(void *data);
void EE(new_task)(int last, int untied, outlined function, void *data);
void EE(new_task_exec)(int flag, outlined function, void *data);
void *EE(task_immediate_start)(int last);
void EE(task_immediate_end)(void *task);
void EE(taskwait)(int how, void *info, int number);
void EE(tasks_are_over)(void);
#endif

// ---- supplied to it

void ort_ee_dowork(int number, void *secret);
void *ort_get_current_task(void);
// Memory that all execution entities share; zeros.
void *ort_shared(size_t bytes);
void ort_unshare(void *memory, size_t bytes);
