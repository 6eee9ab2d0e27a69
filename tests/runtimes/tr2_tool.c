/* The tool's side: how it is found, registration, inquiry functions, counts. */
#include "tr2.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct thread *self;
pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t news = PTHREAD_COND_INITIALIZER;
tr2_any tr2_callback[80];
static unsigned long counts[80];
static tr2_any registered[80];
static int events = TR2_DIALECT == TR2_LLVM ? 70 : 69;

void tr2_counted(int event) { __atomic_fetch_add(&counts[event], 1, __ATOMIC_RELAXED); }

/* Ids: every dialect has its own way to make a tool's life hard. */
#if TR2_DIALECT == TR2_OPENUH
static uint64_t free_ids[4096];
static int free_count;
static pthread_mutex_t id_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static uint64_t made;

uint64_t tr2_new_id(void) {
#if TR2_DIALECT == TR2_LLVM
    return __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
#elif TR2_DIALECT == TR2_REPORT
    return UINT64_MAX - 0x100000001ull * __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
#else
    pthread_mutex_lock(&id_lock);
    uint64_t id = free_count ? free_ids[--free_count] : 0x7f0000000000ull + 64 * ++made;
    pthread_mutex_unlock(&id_lock);
    return id;
#endif
}

void tr2_old_id(uint64_t id) {
#if TR2_DIALECT == TR2_OPENUH
    pthread_mutex_lock(&id_lock);
    if (free_count < 4096) free_ids[free_count++] = id;
    pthread_mutex_unlock(&id_lock);
#else
    (void)id;
#endif
}

static int is_left_out(int event) {
    const char *list = getenv("TR2_LEAVE_OUT");
    for (char *end; list && *list; list = *end ? end + 1 : end)
        if (strtol(list, &end, 10) == event) return 1;
    return 0;
}

/* Events that LLVM's runtime never sends. Of those behind the 0 it says so; locks are the others, in its own
 * build, where they go another way (dynamic locks). */
static int is_silent(int event) {
    static const char silent[] = {13, 14, 15, 16, 24, 25, 29, 30, 35, 36, 43, 44, 46, 47, 48, 54, 61,
                                  0,  17, 18, 19, 45, 51, 52, 53, 57, 58, 59, 60};
    const char *found = memchr(silent, event, sizeof silent);
    if (TR2_DIALECT != TR2_LLVM || !found) return 0;
    return found < (char *)memchr(silent, 0, sizeof silent) ? 1 : 4;
}

static int set_callback(int event, tr2_any callback) {
    if (event < 1 || event > events) return 0;
    registered[event] = callback;
    if (is_silent(event)) return is_silent(event);
    if (is_left_out(event)) return 2;
    tr2_callback[event] = callback;
    return 4;
}

static int get_callback(int event, tr2_any *callback) {
    if (event < 1 || event > events || !registered[event]) return 0;
    *callback = registered[event];
    return 1;
}

static const struct { int number; const char *name; } states[] = {
    {serial, "ompt_state_work_serial"},     {parallel, "ompt_state_work_parallel"},
    {idle, "ompt_state_idle"},              {overhead, "ompt_state_overhead"},
    {wait_barrier, "ompt_state_wait_barrier"},
    {wait_taskwait, "ompt_state_wait_taskwait"}, {wait_taskgroup, "ompt_state_wait_taskgroup"},
    {wait_lock, "ompt_state_wait_lock"},    {wait_nest_lock, "ompt_state_wait_nest_lock"},
    {wait_critical, "ompt_state_wait_critical"}, {wait_atomic, "ompt_state_wait_atomic"},
    {wait_ordered, "ompt_state_wait_ordered"}, {undefined, "ompt_state_undefined"},
    {200, "a state of this runtime's own"},
};

static int enumerate_state(int now, int *next, const char **name) {
    size_t count = sizeof states / sizeof *states, at = 0;
    if (now != first_state)
        while (at < count && states[at++].number != now) {}
    if (at == count) return 0;
    *next = states[at].number, *name = states[at].name;
    return 1;
}

static uint64_t get_thread_id(void) { return self ? self->id : 0; }

static int get_state(uint64_t *wait) {
    if (wait) *wait = self ? self->wait : 0;
    return self ? self->state : undefined;
}

static struct team *outer_team(int level) {
    struct team *team = self ? self->team : NULL;
    while (team && level-- > 0) team = team->outer;
    return team;
}

static uint64_t get_parallel_id(int level) {
    struct team *team = outer_team(level);
    return team ? team->id : 0;
}

static int get_team_size(int level) {
    struct team *team = outer_team(level);
    return team ? team->size : -1;
}

static struct task *outer_task(int depth) {
    struct task *task = self ? self->task : NULL;
    while (task && depth-- > 0) task = task->parent;
    return task;
}

static uint64_t get_task_info(int depth, int *type) {
    struct task *task = outer_task(depth);
    if (task && type) *type = task->type;
    return task ? task->id : 0;
}

static void *get_task_frame(int depth) {
    struct task *task = outer_task(depth);
    return task ? task->frame : NULL;
}

#if TR2_DIALECT == TR2_LLVM
static uint64_t get_task_id(int depth) { return get_task_info(depth, NULL); }
#endif

static tr2_any lookup(const char *name) {
    static const struct { const char *name; tr2_any function; } functions[] = {
        {"ompt_set_callback", (tr2_any)set_callback},
        {"ompt_get_callback", (tr2_any)get_callback},
        {"ompt_enumerate_state", (tr2_any)enumerate_state},
        {"ompt_get_thread_id", (tr2_any)get_thread_id},
        {"ompt_get_state", (tr2_any)get_state},
        {"ompt_get_parallel_id", (tr2_any)get_parallel_id},
        {"ompt_get_parallel_team_size", (tr2_any)get_team_size},
        {"ompt_get_task_frame", (tr2_any)get_task_frame},
#if TR2_DIALECT == TR2_LLVM
        {"ompt_get_task_id", (tr2_any)get_task_id},
#else
        {"ompt_get_task_info", (tr2_any)get_task_info},
#endif
    };
    for (size_t at = 0; at < sizeof functions / sizeof *functions; at++)
        if (!strcmp(name, functions[at].name)) return functions[at].function;
    return TR2_DIALECT == TR2_LLVM ? NULL : tr2_device_function(name);
}

#if TR2_DIALECT == TR2_LLVM
typedef void (*initialize)(tr2_any (*)(const char *), const char *, unsigned);
#else
typedef void (*initialize)(const char *, unsigned, tr2_any (*)(const char *));
#endif
__attribute__((weak)) initialize ompt_tool(void) { return NULL; }
__attribute__((weak)) int ompt_initialize(tr2_any (*l)(const char *), const char *v, unsigned n) {
    (void)l, (void)v, (void)n;
    return 0;
}

/* Finds the tool, after the runtime has initialised itself. */
static void find_tool(void) {
#if TR2_DIALECT == TR2_OPENUH
    if (!ompt_initialize(lookup, "a test runtime like OpenUH's", 1))
        memset(tr2_callback, 0, sizeof tr2_callback);
#else
    initialize begin = ompt_tool();
#if TR2_DIALECT == TR2_LLVM
    if (begin) begin(lookup, "a test runtime like LLVM's", 1);
#else
    if (begin) begin("a test runtime like the report's", 2, lookup);
#endif
#endif
}

void tr2_begin(void) {
    static int begun;
    if (begun++) {
        if (!self) tr2_root_thread();
        return;
    }
    const char *tool = getenv("OMP_TOOL");
    if (!tool || strcmp(tool, "disabled")) find_tool();
    atexit(rt_shutdown);
    tr2_thread(1);
}

/* The program's command: event 7. */
void rt_control(uint64_t command, uint64_t modifier) {
    REPORT(7, (uint64_t, uint64_t), command, modifier);
}

void ompt_control(uint64_t command, uint64_t modifier) { rt_control(command, modifier); }

void rt_shutdown(void) {
    static int is_over;
    if (is_over++) return;
    tr2_end_workers();
    tr2_thread_over(1);
    tr2_devices_done();
    REPORT(8, (void), );
    FILE *file = getenv("TR2_COUNTS") ? fopen(getenv("TR2_COUNTS"), "w") : NULL;
    if (!file) return;
    fprintf(file, "{\n  \"events\": {");
    for (int event = 1; event <= events; event++)
        fprintf(file, "%s\n    \"%d\": %lu", event > 1 ? "," : "", event, counts[event]);
    fprintf(file, "\n  },\n");
    tr2_write_device_counts(file);
    fprintf(file, "}\n");
    fclose(file);
}
