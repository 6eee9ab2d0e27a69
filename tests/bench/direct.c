/* Plays the runtime for several tools in one process: takes each tool's callbacks through a look-up
 * of its own and times families of them in turn, so that neither a runtime nor a drifting machine
 * stands between a tool and its figure.
 *
 * usage: direct ROUNDS REPEATS FAMILY TOOL...
 *
 * A family is a name below or `all`. Prints a line per family, tool and round: its callbacks and the
 * nanoseconds that they took. The tool `none` is a function that returns at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The interface gives some callbacks the types of others. */
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t, ompt_callback_mutex_released_t;

static ompt_callback_t *callbacks; /* of the tool whose turn it is */

#define CALL(NAME, ...) ((ompt_callback_##NAME##_t)callbacks[ompt_callback_##NAME])(__VA_ARGS__)

static void here(void) {}
#define HERE(N) ((const void *)((uintptr_t)&here + (N)))
#define BEGIN ompt_scope_begin
#define END ompt_scope_end

static ompt_data_t thread_word, initial, region, implicit, task;
static ompt_frame_t frame;

static void mutex(long n)
{
    for (long i = 0; i < n; i++) {
        CALL(mutex_acquire, ompt_mutex_critical, 0, 2, (ompt_wait_id_t)&region, HERE(1));
        CALL(mutex_acquired, ompt_mutex_critical, (ompt_wait_id_t)&region, HERE(1));
        CALL(mutex_released, ompt_mutex_critical, (ompt_wait_id_t)&region, HERE(2));
    }
}

static void tasks(long n)
{
    for (long i = 0; i < n; i++) {
        CALL(task_create, &implicit, &frame, &task, ompt_task_explicit, 0, HERE(3));
        CALL(task_schedule, &implicit, ompt_task_switch, &task);
        CALL(task_schedule, &task, ompt_task_complete, &implicit);
    }
}

/* Tasks of two constructs in turn. */
static void sites(long n)
{
    for (long i = 0; i < n; i++) {
        CALL(task_create, &implicit, &frame, &task, ompt_task_explicit, 0, HERE(3));
        CALL(task_create, &implicit, &frame, &task, ompt_task_explicit, 0, HERE(4));
        CALL(task_schedule, &implicit, ompt_task_switch, &task);
        CALL(task_schedule, &task, ompt_task_complete, &implicit);
    }
}

static void sync(long n)
{
    for (long i = 0; i < n; i++) {
        CALL(sync_region, ompt_sync_region_barrier_explicit, BEGIN, &region, &implicit, HERE(5));
        CALL(sync_region_wait, ompt_sync_region_barrier_explicit, BEGIN, &region, &implicit,
             HERE(5));
        CALL(sync_region_wait, ompt_sync_region_barrier_explicit, END, &region, &implicit, HERE(5));
        CALL(sync_region, ompt_sync_region_barrier_explicit, END, &region, &implicit, HERE(5));
    }
}

static void work(long n)
{
    for (long i = 0; i < n; i++) {
        CALL(work, ompt_work_loop, BEGIN, &region, &implicit, 100, HERE(6));
        CALL(work, ompt_work_loop, END, &region, &implicit, 100, HERE(6));
    }
}

static void parallel(long n)
{
    int team = ompt_parallel_team | ompt_parallel_invoker_runtime;
    ompt_data_t inner = {0}, inner_task = {0};
    for (long i = 0; i < n; i++) {
        CALL(parallel_begin, &initial, &frame, &inner, 1, team, HERE(7));
        CALL(implicit_task, BEGIN, &inner, &inner_task, 1, 0, ompt_task_implicit);
        CALL(implicit_task, END, NULL, &inner_task, 1, 0, ompt_task_implicit);
        CALL(parallel_end, &inner, &initial, team, HERE(7));
    }
}

static const struct family {
    const char *name;
    int callbacks;
    void (*run)(long);
} families[] = {{"mutex", 3, mutex}, {"task", 3, tasks},        {"sites", 4, sites},
                {"sync", 4, sync},   {"work", 2, work},         {"parallel", 4, parallel}};
enum { FAMILIES = sizeof families / sizeof *families, TOOLS = 8 };

static struct tool {
    const char *name;
    ompt_callback_t callbacks[64];
    ompt_start_tool_result_t *result;
} tools[TOOLS];

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t function)
{
    if (event < 1 || event > 37)
        return ompt_set_error;
    callbacks[event] = function;
    return ompt_set_always;
}

static ompt_data_t *thread_data(void)
{
    return &thread_word;
}

static ompt_interface_fn_t look_up(const char *name)
{
    if (!strcmp(name, "ompt_set_callback"))
        return (ompt_interface_fn_t)set_callback;
    if (!strcmp(name, "ompt_get_thread_data"))
        return (ompt_interface_fn_t)thread_data;
    return NULL;
}

static int nothing(void)
{
    return 0;
}

static void begin(struct tool *tool, const char *path)
{
    tool->name = path;
    callbacks = tool->callbacks;
    for (int id = 0; id < 64; id++)
        callbacks[id] = (ompt_callback_t)nothing;
    if (strcmp(path, "none") == 0)
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
    if (library)
        start = (ompt_start_tool_result_t * (*)(unsigned, const char *))
            dlsym(library, "ompt_start_tool");
    tool->result = start ? start(201811, "direct calls") : NULL;
    if (!tool->result || !tool->result->initialize(look_up, 0, &tool->result->tool_data)) {
        fprintf(stderr, "%s: no tool: %s\n", path, library ? "it does not start" : dlerror());
        exit(1);
    }
    CALL(thread_begin, ompt_thread_initial, &thread_word);
    CALL(implicit_task, BEGIN, NULL, &initial, 1, 1, ompt_task_initial);
    CALL(parallel_begin, &initial, &frame, &region, 1, ompt_parallel_team, HERE(8));
    CALL(implicit_task, BEGIN, &region, &implicit, 1, 0, ompt_task_implicit);
}

static void end(struct tool *tool)
{
    callbacks = tool->callbacks;
    if (!tool->result)
        return;
    CALL(thread_end, &thread_word);
    tool->result->finalize(&tool->result->tool_data);
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void time_one(const struct family *family, struct tool *tool, long repeats)
{
    callbacks = tool->callbacks;
    long long start = now_ns();
    family->run(repeats);
    printf("%s %s %ld %lld\n", family->name, tool->name, repeats * family->callbacks,
           now_ns() - start);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 4 + TOOLS)
        return fprintf(stderr, "usage: direct ROUNDS REPEATS FAMILY TOOL...\n"), 2;
    int rounds = atoi(argv[1]), count = argc - 4;
    long repeats = atol(argv[2]);
    for (int i = 0; i < count; i++)
        begin(&tools[i], argv[4 + i]);
    for (int round = 0; round < rounds; round++)
        for (int f = 0; f < FAMILIES; f++)
            for (int i = 0; i < count; i++)
                if (!strcmp(argv[3], "all") || !strcmp(argv[3], families[f].name))
                    time_one(&families[f], &tools[(i + round) % count], repeats);
    for (int i = 0; i < count; i++)
        end(&tools[i]);
    return 0;
}
