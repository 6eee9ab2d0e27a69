/* Locks, critical, atomic and ordered regions. */
#include "tr2.h"

static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER, atomic = PTHREAD_MUTEX_INITIALIZER;

/* Waits in a state and gets a mutex. */
static void get(pthread_mutex_t *mutex, void *id, int state, int asked) {
    int before = self->state;
    self->wait = (uint64_t)(uintptr_t)id, self->state = state;
    REPORT_WAIT(asked, id);
    pthread_mutex_lock(mutex);
    self->wait = 0, self->state = before;
}

void rt_lock_init(rt_lock *lock, int nest) {
    tr2_begin();
    pthread_mutex_init(&lock->mutex, NULL);
    lock->owner = NULL, lock->depth = 0;
    REPORT_WAIT(nest ? 58 : 57, lock);
}

void rt_lock_destroy(rt_lock *lock, int nest) {
    REPORT_WAIT(nest ? 60 : 59, lock);
    pthread_mutex_destroy(&lock->mutex);
}

void rt_lock_set(rt_lock *lock, int nest) {
    if (nest && __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == self) {
        lock->depth++;
        REPORT_WAIT(53, lock);
        return;
    }
    get(&lock->mutex, lock, nest ? wait_nest_lock : wait_lock, nest ? 47 : 46);
    __atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
    lock->depth = 1;
    REPORT_WAIT(nest ? 52 : 51, lock);
}

void rt_lock_unset(rt_lock *lock, int nest) {
    if (nest && --lock->depth > 0) {
        REPORT_WAIT(45, lock);
        return;
    }
    __atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock->mutex);
    REPORT_WAIT(nest ? 18 : 17, lock);
}

void rt_critical(rt_fn fn, void *arg) {
    get(&critical, &critical, wait_critical, 48);
    REPORT_WAIT(54, &critical);
    fn(arg);
    pthread_mutex_unlock(&critical);
    REPORT_WAIT(19, &critical);
}

void rt_atomic(int *address, int by) {
    get(&atomic, address, wait_atomic, 49);
    REPORT_WAIT(55, address);
    *address += by;
    pthread_mutex_unlock(&atomic);
    REPORT_WAIT(20, address);
}

/* One iteration's ordered region, in the order of the loop. */
void rt_ordered(int index, rt_fn fn, void *arg) {
    int *turn = &self->team->ordered, before = self->state;
    self->wait = (uint64_t)(uintptr_t)turn, self->state = wait_ordered;
    REPORT_WAIT(50, turn);
    pthread_mutex_lock(&big);
    while (*turn != index) pthread_cond_wait(&news, &big);
    pthread_mutex_unlock(&big);
    self->wait = 0, self->state = before;
    // LLVM's runtime has forgotten by then for what the thread waited.
    void *reported = TR2_DIALECT == TR2_LLVM ? NULL : turn;
    REPORT_WAIT(56, reported);
    fn(arg);
    pthread_mutex_lock(&big);
    ++*turn;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&big);
    REPORT_WAIT(21, reported);
}
