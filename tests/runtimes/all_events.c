/* Every construct of the test runtime, so that each event of the report occurs. */
#include "tr2.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The tool's, if it is there; else the runtime's. */
void ompt_control(uint64_t command, uint64_t modifier);

static int sum, counted;
static rt_lock lock, nest;

static void pass(long microseconds) {
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, NULL);
}
static void add(void *arg) { (void)arg, sum++; }
static void once(int index, void *arg) { (void)index, (void)arg, rt_atomic(&counted, 1); }
static void in_order(int index, void *arg) { rt_ordered(index, add, arg); }
static void leaf(void *arg) { (void)arg, pass(50), rt_atomic(&counted, 1); }
static void tree(void *arg) {
    (void)arg;
    rt_task(leaf, NULL), rt_task(leaf, NULL);
    rt_taskwait();
}
static void at_once(void *arg) {
    pass(200);
    rt_task_undeferred(leaf, arg);
    rt_task(leaf, arg);
    rt_taskwait();
    pass(200);
}
static void trees(void *arg) {
    for (int made = 0; made < 3; made++) rt_task(tree, arg);
    rt_task_undeferred(at_once, arg);
    rt_task_depend(leaf, arg, &sum, &counted);
}
static void grouped(void *arg) {
    trees(arg);
    rt_taskgroup(trees, arg);
}
static void inner(void *arg) { (void)arg, rt_atomic(&counted, rt_number() + 1); }
static void lonely(void *arg) { rt_task(leaf, arg), rt_taskwait(); }
static void *root(void *arg) {
    rt_parallel(2, inner, arg);
    return arg;
}
static void kernel(void *arg) { (void)arg, pass(3000); }
static void with_data(void *arg) { rt_target(0, kernel, arg), rt_target(1, kernel, arg); }

static void body(void *arg) {
    rt_critical(add, arg);
    rt_barrier();
    rt_for(12, once, arg);
    rt_for(6, in_order, arg);
    rt_sections(3, once, arg);
    rt_workshare(add, arg);
    rt_single(grouped, arg);
    rt_master(add, arg);
    rt_lock_set(&lock, 0), rt_lock_unset(&lock, 0);
    rt_lock_set(&nest, 1), rt_lock_set(&nest, 1);
    rt_lock_unset(&nest, 1), rt_lock_unset(&nest, 1);
    rt_flush();
    if (rt_number() == 1) rt_parallel(2, inner, arg);
    rt_barrier();
}

/* A region in the middle that a tool is asked to leave out, by the function that it may have too. */
static void pause_and_go_on(void) {
    ompt_control(2, 7);
    rt_parallel(2, inner, NULL);
    rt_target(0, kernel, NULL);
    ompt_control(1, 8);
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 2;
    rt_lock_init(&lock, 0), rt_lock_init(&nest, 1);
    for (int round = 0; round < rounds; round++) rt_parallel(3, body, NULL);
    rt_parallel(1, lonely, NULL);
    pthread_t other;
    if (pthread_create(&other, NULL, root, NULL) || pthread_join(other, NULL)) abort();
    rt_target_data(0, with_data, NULL);
    rt_target_update(1, NULL, 512);
    if (count > 2) pause_and_go_on();
    rt_control(64, 9);
    rt_parallel(2, inner, NULL);
    rt_lock_destroy(&lock, 0), rt_lock_destroy(&nest, 1);
    printf("%d %d\n", sum, counted);
    return 0;
}
