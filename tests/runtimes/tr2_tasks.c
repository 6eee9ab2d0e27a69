/* Explicit tasks, taskwait, taskgroup. */
#include "tr2.h"
#include <stdlib.h>

static __thread int *group;

/* The number by which events of tasks call one: LLVM's runtime has two for the implicit task of a team of one
 * thread, and all such teams of a thread share the second. */
uint64_t tr2_number(const struct task *task) {
    if (TR2_DIALECT != TR2_LLVM || task->type != 2 || task->team->size > 1) return task->id;
    if (!self->serial_task) self->serial_task = tr2_new_id();
    return self->serial_task;
}

static void report_begin(struct task *task) {
    struct task *by = task->parent;
    REPORT(3, (uint64_t, void *, uint64_t, void *), tr2_number(by), by->frame, task->id, (void *)task->fn);
}

static struct task *create(rt_fn fn, void *arg) {
    struct task *task = calloc(1, sizeof *task);
    task->id = tr2_new_id(), task->type = 3, task->fn = fn, task->arg = arg;
    task->parent = self->task, task->team = self->team, task->group = group;
    if (TR2_DIALECT != TR2_LLVM) report_begin(task);
    return task;
}

static void defer(struct task *task) {
    pthread_mutex_lock(&big);
    task->next = task->team->ready, task->team->ready = task;
    task->team->tasks++, task->parent->children++;
    if (task->group) ++*task->group;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
}

void rt_task(rt_fn fn, void *arg) { defer(create(fn, arg)); }

struct dependence {
    void *variable;
    uint32_t flags;
};

/* A task with dependences; only LLVM's dialect can report them. */
void rt_task_depend(rt_fn fn, void *arg, void *out, void *in) {
    struct task *task = create(fn, arg);
    task->depends[0] = out, task->depends[1] = in;
#if TR2_DIALECT == TR2_LLVM
    REPORT(70, (uint64_t, uint64_t), self->task->id, task->id);
#endif
    defer(task);
}

/* A task begins to run: that is when LLVM's runtime says that it was made, and which its dependences are. */
static void begins(struct task *task) {
#if TR2_DIALECT == TR2_LLVM
    report_begin(task);
    struct dependence list[2] = {{task->depends[0], 1}, {task->depends[1], 2}};
    if (task->depends[0])
        REPORT(69, (uint64_t, const struct dependence *, int), task->id, list, 2);
#else
    (void)task;
#endif
}

/* A task that may run, with the big lock held. */
struct task *tr2_ready(struct team *team) {
    struct task *task = team->ready;
    if (task) team->ready = task->next;
    return task;
}

/* Runs a task above the current one. LLVM's runtime reports the way back before the end; by the 2014 report
 * the end comes first, so no task is left to be suspended. */
void tr2_run_task(struct task *task) {
    struct task *resumed = self->task;
    int state = self->state, *outer_group = group;
    begins(task);
    REPORT(26, (uint64_t, uint64_t), tr2_number(resumed), task->id);
    self->task = task, self->state = parallel, group = NULL;
    task->frame[0] = __builtin_frame_address(0);
    task->fn(task->arg);
    self->task = resumed, self->state = state, group = outer_group;
#if TR2_DIALECT == TR2_LLVM
    REPORT(26, (uint64_t, uint64_t), task->id, tr2_number(resumed));
    REPORT(4, (uint64_t), task->id);
#else
    REPORT(4, (uint64_t), task->id);
    REPORT(26, (uint64_t, uint64_t), 0, resumed->id);
#endif
    tr2_old_id(task->id);
    pthread_mutex_lock(&big);
    task->team->tasks--, task->parent->children--;
    if (task->group) --*task->group;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
    free(task);
}

/* A task that its creator runs at once. LLVM's runtime reports no switch to it and back. */
void rt_task_undeferred(rt_fn fn, void *arg) {
    struct task *task = create(fn, arg);
    pthread_mutex_lock(&big);
    task->team->tasks++, task->parent->children++;
    pthread_mutex_unlock(&big);
#if TR2_DIALECT == TR2_LLVM
    begins(task);
    self->task = task;
    fn(arg);
    self->task = task->parent;
    REPORT(4, (uint64_t), task->id);
    pthread_mutex_lock(&big);
    task->team->tasks--, task->parent->children--;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
    free(task);
#else
    tr2_run_task(task);
#endif
}

/* Waits until nothing is left to wait for; runs tasks meanwhile. */
static void wait_for(int *left, int state, int begin, int end) {
    int before = self->state;
    self->state = state;
    REPORT_HERE(begin);
    pthread_mutex_lock(&big);
    while (*left > 0) {
        struct task *task = tr2_ready(self->team);
        if (task) {
            pthread_mutex_unlock(&big);
            REPORT_HERE(end);
            tr2_run_task(task);
            REPORT_HERE(begin);
            pthread_mutex_lock(&big);
        } else {
            pthread_cond_wait(&news, &big);
        }
    }
    pthread_mutex_unlock(&big);
    REPORT_HERE(end);
    self->state = before;
}

void rt_taskwait(void) {
    uint64_t region = self->team ? self->team->id : 0, task = tr2_number(self->task);
    REPORT(41, (uint64_t, uint64_t), region, task);
    wait_for(&self->task->children, wait_taskwait, 13, 14);
    REPORT(42, (uint64_t, uint64_t), region, task);
}

void rt_taskgroup(rt_fn fn, void *arg) {
    int left = 0, *outer = group;
    REPORT_HERE(43);
    group = &left;
    fn(arg);
    wait_for(&left, wait_taskgroup, 15, 16);
    group = outer;
    REPORT_HERE(44);
}
