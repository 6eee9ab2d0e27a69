/* A small OpenMP runtime that reports its events as OMPT's Technical Report 2 of 2014 has it.
 *
 * Programs call rt_*; there is no compiler behind it. Teams are real threads, tasks really wait and
 * move. TR2_DIALECT chooses how a tool is found and what differs then; every event that a tool has
 * asked for is counted as it is reported, and the counts are written to the file that TR2_COUNTS names.
 * TR2_LEAVE_OUT lists numbers of events that this run does not have, TR2_RECORDS says how many records
 * a device puts into a buffer at most.
 */
#ifndef TR2_H
#define TR2_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* ompt_tool, then init(look-up, version, number); small numbers as ids. Sends what LLVM's own build of 4.0.1
 * does and no more: of root threads only the first one's begin, no initial tasks, a task's begin where it begins
 * to run, no switch to undeferred tasks. */
#define TR2_LLVM 1
#define TR2_REPORT 2 /* ompt_tool, then init(version, number, look-up); huge numbers as ids */
#define TR2_OPENUH 3 /* a global ompt_initialize(look-up, version, number); ids are used again */
#ifndef TR2_DIALECT
#define TR2_DIALECT TR2_REPORT
#endif

/* What programs call. */
typedef void (*rt_fn)(void *);
typedef void (*rt_body)(int index, void *);
void rt_parallel(int threads, rt_fn fn, void *arg);
int rt_number(void);
void rt_barrier(void);
void rt_for(int count, rt_body body, void *arg);
void rt_sections(int count, rt_body body, void *arg);
void rt_workshare(rt_fn fn, void *arg);
void rt_single(rt_fn fn, void *arg);
void rt_master(rt_fn fn, void *arg);
void rt_ordered(int index, rt_fn fn, void *arg);
void rt_critical(rt_fn fn, void *arg);
void rt_atomic(int *address, int by);
void rt_flush(void);
void rt_task(rt_fn fn, void *arg);
void rt_task_undeferred(rt_fn fn, void *arg);
void rt_task_depend(rt_fn fn, void *arg, void *out, void *in);
void rt_taskwait(void);
void rt_taskgroup(rt_fn fn, void *arg);
void rt_control(uint64_t command, uint64_t modifier);
void rt_target(int device, rt_fn fn, void *arg);
void rt_target_data(int device, rt_fn fn, void *arg);
void rt_target_update(int device, rt_fn fn, size_t bytes);
void rt_shutdown(void);

typedef struct {
    pthread_mutex_t mutex;
    struct thread *owner;
    int depth;
} rt_lock;
void rt_lock_init(rt_lock *lock, int nest);
void rt_lock_destroy(rt_lock *lock, int nest);
void rt_lock_set(rt_lock *lock, int nest);
void rt_lock_unset(rt_lock *lock, int nest);

/* What the parts share. */
enum { serial = 0x00, parallel = 0x01, idle = 0x10, overhead = 0x20, wait_barrier = 0x40,
       wait_taskwait = 0x50, wait_taskgroup = 0x51, wait_lock = 0x60, wait_nest_lock = 0x61,
       wait_critical = 0x62, wait_atomic = 0x63, wait_ordered = 0x64, undefined = 0x70,
       first_state = 0x71 };

struct task {
    uint64_t id;
    int type; /* 1 serial, 2 implicit, 3 explicit, 4 target */
    void *frame[2];
    struct task *parent, *next;
    struct team *team;
    rt_fn fn;
    void *arg;
    int children, *group;
    void *depends[2];
};

struct team {
    uint64_t id;
    struct team *outer;
    struct task *encountering;
    rt_fn fn;
    void *arg;
    int size, arrived, generation, tasks, users, singles, ordered;
    struct task *ready;
};

struct thread {
    uint64_t id;
    int number, singles, state, quit;
    uint64_t wait, serial_task;
    struct team *team, *assigned;
    struct task *task;
    struct thread *next;
    pthread_t pthread;
    pthread_cond_t work;
};

extern __thread struct thread *self;
extern pthread_mutex_t big;
extern pthread_cond_t news;
typedef void (*tr2_any)(void);
extern tr2_any tr2_callback[80];
void tr2_counted(int event);
void tr2_begin(void);
uint64_t tr2_new_id(void);
void tr2_old_id(uint64_t id);
uint64_t tr2_number(const struct task *task);
struct thread *tr2_thread(int type);
void tr2_root_thread(void);
void tr2_thread_over(int type);
void tr2_end_workers(void);
void tr2_run_task(struct task *task);
struct task *tr2_ready(struct team *team);
tr2_any tr2_device_function(const char *name);
void tr2_devices_done(void);
void tr2_write_device_counts(void *file);

/* Reports an event whose arguments have these types, if a tool wants it. */
#define REPORT(event, types, ...)                                                                  \
    do {                                                                                           \
        if (tr2_callback[event]) {                                                                 \
            tr2_counted(event);                                                                    \
            ((void(*) types)tr2_callback[event])(__VA_ARGS__);                                     \
        }                                                                                          \
    } while (0)
/* ompt_parallel_callback_t, for the region and task of the calling thread. */
#define REPORT_HERE(event)                                                                         \
    REPORT(event, (uint64_t, uint64_t), self->team ? self->team->id : 0, self->task->id)
/* ompt_new_workshare_callback_t. */
#define REPORT_WORK(event, fn)                                                                     \
    REPORT(event, (uint64_t, uint64_t, void *), self->team ? self->team->id : 0, self->task->id,   \
         (void *)(fn))
#define REPORT_WAIT(event, id) REPORT(event, (uint64_t), (uint64_t)(uintptr_t)(id))

#endif
