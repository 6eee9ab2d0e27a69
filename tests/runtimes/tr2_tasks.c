/* Explicit tasks, taskwait, taskgroup. */
#include "tr2.h"
#include <stdlib.h>

static __thread int *group;

static struct task *create(rt_fn fn, void *arg) {
    struct task *task = calloc(1, sizeof *task);
    task->id = tr2_new_id(), task->type = 3, task->fn = fn, task->arg = arg;
    task->parent = self->task, task->team = self->team, task->group = group;
    TELL(3, (uint64_t, void *, uint64_t, void *), self->task->id, self->task->frame, task->id,
         (void *)fn);
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

/* A task with dependences; only LLVM's dialect can tell them. */
void rt_task_depend(rt_fn fn, void *arg, void *out, void *in) {
    struct task *task = create(fn, arg);
#if TR2_DIALECT == TR2_LLVM
    struct dependence list[2] = {{out, 1}, {in, 2}};
    TELL(69, (uint64_t, const struct dependence *, int), task->id, list, 2);
    TELL(70, (uint64_t, uint64_t), self->task->id, task->id);
#else
    (void)out, (void)in;
#endif
    defer(task);
}

/* A task that may run, with the big lock held. */
struct task *tr2_ready(struct team *team) {
    struct task *task = team->ready;
    if (task) team->ready = task->next;
    return task;
}

/* Runs a task above the current one. LLVM's runtime tells the way back before the end, the report the
 * end before that; then nobody is left to be suspended. */
void tr2_run_task(struct task *task) {
    struct task *resumed = self->task;
    int state = self->state, *outer_group = group;
    TELL(26, (uint64_t, uint64_t), resumed->id, task->id);
    self->task = task, self->state = parallel, group = NULL;
    task->frame[0] = __builtin_frame_address(0);
    task->fn(task->arg);
    self->task = resumed, self->state = state, group = outer_group;
#if TR2_DIALECT == TR2_LLVM
    TELL(26, (uint64_t, uint64_t), task->id, resumed->id);
    TELL(4, (uint64_t), task->id);
#else
    TELL(4, (uint64_t), task->id);
    TELL(26, (uint64_t, uint64_t), 0, resumed->id);
#endif
    tr2_old_id(task->id);
    pthread_mutex_lock(&big);
    task->team->tasks--, task->parent->children--;
    if (task->group) --*task->group;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
    free(task);
}

/* Waits until nothing is left to wait for; runs tasks meanwhile. */
static void wait_for(int *left, int state, int begin, int end) {
    int before = self->state;
    self->state = state;
    TELL_HERE(begin);
    pthread_mutex_lock(&big);
    while (*left > 0) {
        struct task *task = tr2_ready(self->team);
        if (task) {
            pthread_mutex_unlock(&big);
            TELL_HERE(end);
            tr2_run_task(task);
            TELL_HERE(begin);
            pthread_mutex_lock(&big);
        } else {
            pthread_cond_wait(&news, &big);
        }
    }
    pthread_mutex_unlock(&big);
    TELL_HERE(end);
    self->state = before;
}

void rt_taskwait(void) {
    TELL_HERE(41);
    wait_for(&self->task->children, wait_taskwait, 13, 14);
    TELL_HERE(42);
}

void rt_taskgroup(rt_fn fn, void *arg) {
    int left = 0, *outer = group;
    TELL_HERE(43);
    group = &left;
    fn(arg);
    wait_for(&left, wait_taskgroup, 15, 16);
    group = outer;
    TELL_HERE(44);
}
