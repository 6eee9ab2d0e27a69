/* A program that uses a device as an OpenMP runtime with one would, and as CUDA's driver would for it, both played here: what it
 * prints is what a trace has to have.
 *
 * Arguments: how many rounds; `driver`: the device is used without OpenMP; `injected`: the driver loads its library, too; `kill`: the program ends by a signal in the midst; the name
 * of a plan: what costs time in each round. */
#include "cupti.h"
#include <dlfcn.h>
#include <omp-tools.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ompt_callback_t callbacks[64];

static ompt_set_result_t set(ompt_callbacks_t which, ompt_callback_t callback) {
    if ((unsigned)which < 64) callbacks[which] = callback;
    return ompt_set_always;
}
static ompt_interface_fn_t look_up(const char *name) {
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set : NULL;
}

/* The number of a callback is its place; the tool has registered it, or it is not called. */
#define EMIT(which, type, ...) \
    do { if (callbacks[which]) ((type)callbacks[which])(__VA_ARGS__); } while (0)

static uint64_t kernels, copies, moved, sets, kernel_time;
static uint64_t migrations, migrated, migrate_time, faults, fault_time, host_faults, waits, wait_time;

/* What a round takes, in microseconds: on the device, of the host in the target construct, and of its own work behind it. */
static const struct plan {
    const char *name;
    unsigned kernel, copy, set_up, work;
    /* The host's memory that is copied: of unknown address, always the same, or other in each round. */
    enum { UNKNOWN, SAME, OTHER } memory;
} plans[] = {
    {"usual", 500, 300, 0, 0, UNKNOWN},
    {"copied_again", 300, 1000, 0, 0, SAME},
    {"copies", 300, 1000, 0, 0, OTHER},
    {"launches", 1, 1, 500, 0, OTHER},
    {"nowait", 2000, 1, 0, 2000, OTHER},
    {"busy", 2000, 1, 0, 0, OTHER},
    {"unified", 100, 1, 0, 0, UNKNOWN},
    {"events", 100, 1, 0, 0, UNKNOWN},
};
static const struct plan *plan = plans;
static char memory[1 << 20];
static int round_now;

static void work(unsigned microseconds) {
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < microseconds * 1000l);
}

static void copy(int direction, uint64_t bytes) {
    standin_copy(direction, bytes, 7, plan->copy);
    copies++, moved += bytes;
}
static void kernel(const char *name, uint32_t stream) {
    /* The stand-in's clock has half of the host's speed. */
    kernel_time += 2 * standin_kernel(name, stream, plan->kernel);
    kernels++;
}

static void operation(ompt_data_t *target, ompt_target_data_op_t kind, int direction, uint64_t bytes) {
    ompt_id_t host_op = 0;
    void *host = plan->memory == UNKNOWN ? NULL : memory + (plan->memory == OTHER ? round_now : 0), *from = host, *to = NULL;
    int from_device = -1, to_device = 0;
    if (kind == ompt_target_data_transfer_from_device) from = NULL, to = host, from_device = 0, to_device = -1;
    EMIT(ompt_callback_target_data_op_emi, ompt_callback_target_data_op_emi_t, ompt_scope_begin, NULL, target, &host_op, kind,
         from, from_device, to, to_device, bytes, NULL);
    copy(direction, bytes);
    EMIT(ompt_callback_target_data_op_emi, ompt_callback_target_data_op_emi_t, ompt_scope_end, NULL, target, &host_op, kind,
         from, from_device, to, to_device, bytes, NULL);
}
static void submit(ompt_data_t *target, const char *name) {
    ompt_id_t host_op = 0;
    EMIT(ompt_callback_target_submit_emi, ompt_callback_target_submit_emi_t, ompt_scope_begin, target, &host_op, 4);
    kernel(name, 7);
    EMIT(ompt_callback_target_submit_emi, ompt_callback_target_submit_emi_t, ompt_scope_end, target, &host_op, 4);
}
static void region(void) {
    ompt_data_t target = {0}, task = {0};
    EMIT(ompt_callback_target_emi, ompt_callback_target_emi_t, ompt_target, ompt_scope_begin, 0, &task, NULL, &target, NULL);
    work(plan->set_up);
    operation(&target, ompt_target_data_transfer_to_device, 1, 1 << 20);
    submit(&target, "_Z5scalePdd");
    operation(&target, ompt_target_data_transfer_from_device, 2, 1 << 10);
    EMIT(ompt_callback_target_emi, ompt_callback_target_emi_t, ompt_target, ompt_scope_end, 0, &task, NULL, &target, NULL);
}

/* What a round with unified memory does: the host reads, so that memory comes back, and the device writes what is still there. */
static void unified(void) {
    uint64_t page = (uint64_t)memory + 4096 * round_now, bytes = 4096 * (1 + round_now % 3), groups = 1 + round_now % 2;
    standin_unified(3, (uint64_t)unified + 1, page, 1, 0), host_faults++;
    migrate_time += 2 * standin_unified(2, bytes, page, 2, 300);
    fault_time += 2 * standin_unified(4, groups, page, 2, 200), faults += groups;
    migrate_time += 2 * standin_unified(1, 65536, page, 1, 700);
    migrations += 2, migrated += bytes + 65536;
    standin_unified(5, 4096, page, 0, 0);
    standin_unified(6, 0, page, 0, 100);
    standin_unified(7, 4096, page, 2, 0);
}

static void run(uint64_t at, const char *name, uint32_t stream, uint64_t begin, uint64_t end) {
    standin_launch(at, name, stream, begin, end);
    kernels++, kernel_time += 2 * (end - begin);
}

/* Streams 8 and 9 wait for stream 7, by one event that is recorded again; all times are said, in microseconds. */
static void events(void) {
    const uint64_t begin = standin_now(), us = 1000;
    run(begin, "produce", 7, begin + 100 * us, begin + 500 * us);
    run(begin + 10 * us, "alone", 8, begin + 100 * us, begin + 300 * us);
    standin_record(begin + 20 * us, 5, 7);
    run(begin + 30 * us, "late", 7, begin + 500 * us, begin + 900 * us);
    /* From the end of `alone` to that of `produce`. */
    standin_wait(begin + 40 * us, 5, 8), waits++, wait_time += 2 * 200 * us;
    run(begin + 50 * us, "consume", 8, begin + 510 * us, begin + 600 * us);
    standin_record(begin + 60 * us, 5, 7);
    /* From the return of the call to the end of `late`. */
    standin_wait(begin + 70 * us, 5, 9), waits++, wait_time += 2 * (900 - 71) * us;
    run(begin + 80 * us, "consume", 9, begin + 905 * us, begin + 950 * us);
    /* For what is done: as late as it is. */
    standin_wait(begin + 90 * us, 5, 9), waits++;
    run(begin + 92 * us, "again", 9, begin + 960 * us, begin + 970 * us);
    /* Nobody has recorded this one. */
    standin_wait(begin + 95 * us, 6, 9), waits++;
    while (standin_now() < begin + 1000 * us) work(100);
    standin_synchronize(1, 5, 10);
    standin_synchronize(3, 8, 10);
    standin_synchronize(4, 0, 10);
}

/* As CUDA's driver begins: the library that it is told to load is initialised. */
static void driver(void) {
    const char *library = getenv("CUDA_INJECTION64_PATH");
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    int (*initialize)(void) = handle ? (int (*)(void))dlsym(handle, "InitializeInjection") : NULL;
    if (initialize) initialize();
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 3, with_openmp = 1, injected = 0, killed = 0;
    for (int at = 2; at < count; at++) {
        if (strcmp(arguments[at], "driver") == 0) with_openmp = 0;
        if (strcmp(arguments[at], "injected") == 0) injected = 1;
        if (strcmp(arguments[at], "kill") == 0) killed = 1;
        for (size_t known = 0; known < sizeof plans / sizeof *plans; known++)
            if (strcmp(arguments[at], plans[known].name) == 0) plan = plans + known;
    }
    ompt_start_tool_result_t *tool = NULL;
    ompt_data_t none = {0}, initial = {0};
    if (with_openmp) {
        const char *library = getenv("OMP_TOOL_LIBRARIES");
        void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
        ompt_start_tool_result_t *(*start)(unsigned, const char *) =
            handle ? (ompt_start_tool_result_t * (*)(unsigned, const char *)) dlsym(handle, "ompt_start_tool") : NULL;
        tool = start ? start(201811, "stand-in runtime") : NULL;
        if (tool && tool->initialize(look_up, 0, &tool->tool_data)) {
            ompt_data_t thread = {0};
            EMIT(ompt_callback_thread_begin, ompt_callback_thread_begin_t, ompt_thread_initial, &thread);
            EMIT(ompt_callback_implicit_task, ompt_callback_implicit_task_t, ompt_scope_begin, &none, &initial, 1, 1, ompt_task_initial);
            EMIT(ompt_callback_device_initialize, ompt_callback_device_initialize_t, 0, "sm_90", NULL,
                 (ompt_function_lookup_t)look_up, NULL);
        }
    }
    if (!with_openmp || injected) driver();
    for (int round = 0; round < rounds; round++) {
        round_now = round;
        if (with_openmp) {
            region();
            work(plan->work);
            if (strcmp(plan->name, "unified") == 0) unified();
            if (strcmp(plan->name, "events") == 0) events();
        } else {
            copy(1, 4096);
            kernel("plain_kernel", 8);
        }
        standin_set(0, 256, 9, 50), sets++;
    }
    standin_untimed();
    printf("kernels %lu copies %lu bytes %lu sets %lu kernel_ns %lu\n", kernels, copies, moved, sets, kernel_time);
    printf("migrations %lu migrated %lu migrate_ns %lu faults %lu fault_ns %lu host_faults %lu waits %lu wait_ns %lu\n", migrations,
           migrated, migrate_time, faults, fault_time, host_faults, waits, wait_time);
    fflush(stdout);
    if (killed) raise(SIGKILL);
    if (with_openmp)
        EMIT(ompt_callback_implicit_task, ompt_callback_implicit_task_t, ompt_scope_end, NULL, &initial, 1, 1, ompt_task_initial);
    if (tool) tool->finalize(&tool->tool_data);
    return 0;
}
