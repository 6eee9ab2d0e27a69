/* Threads and teams, work-sharing, barriers. */
#include "tr2.h"
#include <stdlib.h>

static struct thread *workers;

/* The calling thread as this runtime knows it; type is ompt_thread_type_t. */
struct thread *tr2_thread(int type) {
    static int roots;
    self = calloc(1, sizeof *self);
    self->id = tr2_new_id();
    self->state = type == 1 ? serial : idle;
    pthread_cond_init(&self->work, NULL);
    struct task *task = NULL;
    if (type == 1) {
        task = self->task = calloc(1, sizeof *task);
        task->type = 1, task->id = tr2_new_id();
    }
    int is_later_root = type == 1 && __atomic_fetch_add(&roots, 1, __ATOMIC_RELAXED) > 0;
    if (TR2_DIALECT != TR2_LLVM || !is_later_root) REPORT(5, (int, uint64_t), type, self->id);
    if (task) REPORT(24, (uint64_t), task->id);
    return self;
}

static void root_over(void *of) {
    self = of;
    tr2_thread_over(1);
}

/* A thread of the program's own comes to the runtime. */
void tr2_root_thread(void) {
    static pthread_key_t key;
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    static int is_made;
    pthread_mutex_lock(&making);
    if (!is_made++ && pthread_key_create(&key, root_over)) abort();
    pthread_mutex_unlock(&making);
    pthread_setspecific(key, tr2_thread(1));
}

void tr2_end_workers(void) {
    for (struct thread *worker = workers; worker; worker = worker->next) {
        pthread_mutex_lock(&big);
        worker->quit = 1;
        pthread_cond_signal(&worker->work);
        pthread_mutex_unlock(&big);
        pthread_join(worker->pthread, NULL);
    }
}

void tr2_thread_over(int type) {
    if (type == 1) REPORT(25, (uint64_t), self->task->id);
    REPORT(6, (int, uint64_t), type, self->id);
}

static void leave(struct team *team) {
    pthread_mutex_lock(&big);
    int is_last = --team->users == 0;
    pthread_mutex_unlock(&big);
    if (!is_last) return;
    tr2_old_id(team->id);
    free(team);
}

/* One thread's part of a region. */
static void take_part(struct team *team, int number) {
    struct task implicit = {.id = tr2_new_id(), .type = 2, .team = team};
    struct task *outer = self->task;
    struct team *outer_team = self->team;
    int outer_number = self->number, outer_singles = self->singles;
    implicit.parent = team->encountering;
    self->task = &implicit, self->team = team, self->number = number, self->singles = 0;
    self->state = parallel;
    REPORT_HERE(22);
    implicit.frame[0] = __builtin_frame_address(0);
    team->fn(team->arg);
    rt_barrier();
    REPORT_HERE(23);
    tr2_old_id(implicit.id);
    self->task = outer, self->team = outer_team;
    self->number = outer_number, self->singles = outer_singles;
    self->state = outer ? (outer_team ? parallel : serial) : idle;
}

static void *work(void *arg) {
    struct thread **made = arg;
    struct thread *me = tr2_thread(2);
    pthread_mutex_lock(&big);
    me->pthread = pthread_self();
    me->next = workers, workers = me, *made = me;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
    for (;;) {
        REPORT(9, (uint64_t), me->id);
        pthread_mutex_lock(&big);
        while (!me->assigned && !me->quit) pthread_cond_wait(&me->work, &big);
        struct team *team = me->assigned;
        int number = me->number;
        pthread_mutex_unlock(&big);
        REPORT(10, (uint64_t), me->id);
        if (!team) break;
        take_part(team, number);
        leave(team);
        pthread_mutex_lock(&big);
        me->assigned = NULL;
        pthread_mutex_unlock(&big);
    }
    tr2_thread_over(2);
    return NULL;
}

/* A worker that has nothing to do, with the big lock held. Another team may take a new one before who made it. */
static struct thread *idle_worker(void) {
    for (;;) {
        for (struct thread *worker = workers; worker; worker = worker->next)
            if (!worker->assigned) return worker;
        struct thread *made = NULL;
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, &made)) abort();
        while (!made) pthread_cond_wait(&news, &big);
    }
}

void rt_parallel(int threads, rt_fn fn, void *arg) {
    tr2_begin();
    struct team *team = calloc(1, sizeof *team);
    team->id = tr2_new_id(), team->outer = self->team, team->encountering = self->task;
    team->fn = fn, team->arg = arg, team->size = team->users = threads;
    struct task *task = self->task;
    task->frame[1] = __builtin_frame_address(0);
    REPORT(1, (uint64_t, void *, uint64_t, uint32_t, void *, int), task->id, task->frame, team->id,
         threads, (void *)fn, 1);
    pthread_mutex_lock(&big);
    for (int number = 1; number < threads; number++) {
        struct thread *worker = idle_worker();
        worker->assigned = team, worker->number = number;
        pthread_cond_signal(&worker->work);
    }
    pthread_mutex_unlock(&big);
    take_part(team, 0);
    REPORT(2, (uint64_t, uint64_t, int), team->id, task->id, 1);
    task->frame[1] = NULL;
    leave(team);
}

int rt_number(void) { return self->number; }

/* Waits for the team; runs its tasks meanwhile. */
void rt_barrier(void) {
    struct team *team = self->team;
    REPORT_HERE(39);
    self->state = wait_barrier;
    REPORT_HERE(11);
    pthread_mutex_lock(&big);
    int generation = team->generation;
    team->arrived++;
    while (team->generation == generation) {
        struct task *task = tr2_ready(team);
        if (task) {
            pthread_mutex_unlock(&big);
            if (TR2_DIALECT != TR2_LLVM) REPORT_HERE(12);
            tr2_run_task(task);
            if (TR2_DIALECT != TR2_LLVM) REPORT_HERE(11);
            pthread_mutex_lock(&big);
        } else if (team->arrived == team->size && team->tasks == 0) {
            team->arrived = 0, team->generation++;
            pthread_cond_broadcast(&news);
        } else {
            pthread_cond_wait(&news, &big);
        }
    }
    pthread_mutex_unlock(&big);
    REPORT_HERE(12);
    self->state = parallel;
    REPORT_HERE(40);
}

static void share(int count, rt_body body, void *arg) {
    struct team *team = self->team;
    int first = count * self->number / team->size, end = count * (self->number + 1) / team->size;
    for (int index = first; index < end; index++) body(index, arg);
}

void rt_for(int count, rt_body body, void *arg) {
    REPORT_WORK(27, body);
    share(count, body, arg);
    REPORT_HERE(28);
    rt_barrier();
    if (self->number == 0) self->team->ordered = 0;
    rt_barrier();
}

void rt_sections(int count, rt_body body, void *arg) {
    REPORT_WORK(29, body);
    share(count, body, arg);
    REPORT_HERE(30);
    rt_barrier();
}

void rt_workshare(rt_fn fn, void *arg) {
    REPORT_WORK(35, fn);
    if (self->number == 0) fn(arg);
    REPORT_HERE(36);
    rt_barrier();
}

void rt_single(rt_fn fn, void *arg) {
    pthread_mutex_lock(&big);
    int is_mine = self->team->singles == self->singles++;
    self->team->singles += is_mine;
    pthread_mutex_unlock(&big);
    if (is_mine) {
        REPORT_WORK(31, fn);
        fn(arg);
        REPORT_HERE(32);
    } else {
        REPORT_HERE(33);
        REPORT_HERE(34);
    }
    rt_barrier();
}

void rt_master(rt_fn fn, void *arg) {
    if (self->number != 0) return;
    REPORT_HERE(37);
    fn(arg);
    REPORT_HERE(38);
}

void rt_flush(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if TR2_DIALECT == TR2_LLVM
    REPORT(61, (void), );
#else
    REPORT(61, (uint64_t), self->id);
#endif
}
