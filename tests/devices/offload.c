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
        } else {
            copy(1, 4096);
            kernel("plain_kernel", 8);
        }
        standin_set(0, 256, 9, 50), sets++;
    }
    standin_untimed();
    printf("kernels %lu copies %lu bytes %lu sets %lu kernel_ns %lu\n", kernels, copies, moved, sets, kernel_time);
    fflush(stdout);
    if (killed) raise(SIGKILL);
    if (with_openmp)
        EMIT(ompt_callback_implicit_task, ompt_callback_implicit_task_t, ompt_scope_end, NULL, &initial, 1, 1, ompt_task_initial);
    if (tool) tool->finalize(&tool->tool_data);
    return 0;
}
