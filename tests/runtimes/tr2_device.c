/* Offloading to simulated devices, which trace themselves as section 6 of the report has it: each has a
 * clock with an offset and a rate of its own, and buffers that are asked for and given back on a thread
 * that is no OpenMP thread. */
#include "tr2.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if TR2_DIALECT != TR2_LLVM
enum { devices = 2, device_threads = 2 };

/* A device's clock: 1.5 ticks a nanosecond, a bit more on the second one, from an offset. */
static uint64_t host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t device_time(int device) {
    static const double rate[devices] = {1.5, 1.50045};
    return 0x1234567890ull * (device + 1) + (uint64_t)((long double)host_now() * rate[device]);
}

/* ompt_record_t, appendix A.6. */
struct record {
    int type;
    uint64_t time, thread;
    union {
        struct { uint64_t region, task; } inside;
        struct { uint64_t region, task; void *function; } work;
        struct { uint64_t parent; void *frame; uint64_t task; void *function; } task;
        uint64_t wait;
    } is;
};
struct native {
    uint64_t time;
    int hwid, is_event;
    char name[24];
};
/* What stands in a buffer; a cursor is the offset of one of these. */
struct entry {
    int type; /* ompt_record_type_t: 0 OMPT, 1 native */
    union { struct record ompt; struct native native; } is;
};

typedef void (*request_fn)(int, void **, size_t *);
typedef void (*complete_fn)(int, void *, size_t, uint64_t, uint64_t);
static struct device {
    request_fn request;
    complete_fn complete;
    int ompt_on, native_on;
    char *buffer;
    size_t bytes, used;
    unsigned long native_reported, ompt_reported[80], buffers;
} device[devices];
static __thread int target_device = -1;

static int num_devices(void) { return devices; }
static int is_device(int number) { return number >= 0 && number < devices; }

static int device_info(int number, const char **type, tr2_any (**lookup)(const char *)) {
    if (!is_device(number)) return 1;
    if (type) *type = number ? "a simulated device, second kind" : "a simulated device";
    if (lookup) *lookup = tr2_device_function;
    return 0;
}

static int target_device_id(void) { return target_device; }
static uint64_t target_device_time(int number) { return is_device(number) ? device_time(number) : 0; }

static int record_set(int number, int enable, int type) {
    if (!is_device(number)) return 0;
    if (type == 0 || type == 22) device[number].ompt_on = enable;
    return 4;
}

static int record_native_set(int number, int enable, void *info, void **status) {
    (void)info;
    if (!is_device(number)) return 0;
    device[number].native_on = enable;
    if (status) *status = NULL;
    return 4;
}

static void give_back(int number) {
    struct device *of = &device[number];
    if (!of->buffer) return;
    char *buffer = of->buffer;
    of->buffer = NULL, of->buffers++;
    of->complete(number, buffer, of->bytes, 0, of->used);
}

static int recording_start(int number, request_fn request, complete_fn complete) {
    if (!is_device(number)) return 0;
    device[number].request = request, device[number].complete = complete;
    return 1;
}

static void *stop(void *arg) {
    give_back(*(int *)arg);
    return NULL;
}

static int recording_stop(int number) {
    if (!is_device(number)) return 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop, &number)) abort();
    pthread_join(thread, NULL);
    device[number].request = NULL;
    return 1;
}

static int cursor_advance(void *buffer, uint64_t now, uint64_t *next) {
    (void)buffer;
    *next = now + sizeof(struct entry);
    return 0;
}

static struct entry *at(void *buffer, uint64_t cursor) {
    return (struct entry *)((char *)buffer + cursor);
}
static int record_get_type(void *buffer, uint64_t cursor) { return at(buffer, cursor)->type; }
static struct record *record_get(void *buffer, uint64_t cursor) {
    /* The answer may lie in thread-local storage and be overwritten by the next one. */
    static __thread struct record copy;
    copy = at(buffer, cursor)->is.ompt;
    return &copy;
}
static void *record_native_get(void *buffer, uint64_t cursor) {
    static __thread struct native copy;
    copy = at(buffer, cursor)->is.native;
    return &copy;
}
static int native_kind(void *record) { return ((struct native *)record)->is_event ? 2 : 1; }
static const char *native_type(void *record) { return ((struct native *)record)->name; }
static uint64_t native_time(void *record) { return ((struct native *)record)->time; }
static int native_hwid(void *record) { return ((struct native *)record)->hwid; }

static struct entry *next_entry(int number) {
    struct device *of = &device[number];
    if (!of->request) return NULL;
    const char *few = getenv("TR2_RECORDS");
    size_t most = few ? strtoul(few, NULL, 10) * sizeof(struct entry) : of->bytes;
    if (most > of->bytes) most = of->bytes;
    if (of->buffer && of->used + sizeof(struct entry) > most) give_back(number);
    if (!of->buffer) {
        void *buffer = NULL;
        of->used = of->bytes = 0;
        of->request(number, &buffer, &of->bytes);
        if (of->bytes < sizeof(struct entry)) return of->request = NULL, NULL;
        of->buffer = buffer;
    }
    struct entry *entry = at(of->buffer, of->used);
    of->used += sizeof *entry;
    memset(entry, 0, sizeof *entry);
    return entry;
}

static void put(int number, int type, uint64_t device_thread, uint64_t region, uint64_t task, rt_fn fn) {
    struct entry *entry = device[number].ompt_on ? next_entry(number) : NULL;
    if (!entry) return;
    device[number].ompt_reported[type]++;
    entry->is.ompt.type = type, entry->is.ompt.time = device_time(number);
    entry->is.ompt.thread = device_thread;
    entry->is.ompt.is.work.region = region, entry->is.ompt.is.work.task = task;
    entry->is.ompt.is.work.function = (void *)fn;
}

static void put_native(int number, int hwid, int is_event, const char *name) {
    struct entry *entry = device[number].native_on ? next_entry(number) : NULL;
    if (!entry) return;
    device[number].native_reported++;
    entry->type = 1;
    entry->is.native.time = is_event ? device_time(number) : 0;
    entry->is.native.hwid = hwid, entry->is.native.is_event = is_event;
    strncpy(entry->is.native.name, name, sizeof entry->is.native.name - 1);
}

struct job {
    int device;
    rt_fn fn;
    void *arg;
};

/* The device at work, on a thread of its own that is no OpenMP thread. */
static void *kernel(void *arg) {
    struct job *job = arg;
    int number = job->device;
    uint64_t region = tr2_new_id(), tasks[device_threads];
    put_native(number, -1, 0, "kernel arguments");
    put_native(number, 0, 1, "kernel start");
    for (int device_thread = 0; device_thread < device_threads; device_thread++) {
        tasks[device_thread] = tr2_new_id();
        put(number, 22, device_thread + 1, region, tasks[device_thread], NULL);
        put(number, 27, device_thread + 1, region, tasks[device_thread], job->fn);
    }
    job->fn(job->arg);
    for (int device_thread = 0; device_thread < device_threads; device_thread++) {
        put(number, 28, device_thread + 1, region, tasks[device_thread], NULL);
        put(number, 39, device_thread + 1, region, tasks[device_thread], NULL);
        put(number, 40, device_thread + 1, region, tasks[device_thread], NULL);
        put(number, 23, device_thread + 1, region, tasks[device_thread], NULL);
    }
    put_native(number, 0, 1, "kernel end");
    return NULL;
}

static void map(int number, int direction, size_t bytes, rt_fn fn) {
    REPORT(68, (uint64_t, int, int, int, size_t, void *), self->task->id, number, 1, direction, bytes,
         (void *)fn);
    REPORT(69, (uint64_t), self->task->id);
}

static void nothing(void *arg) { (void)arg; }

static void offload(int number, int begin, int end, rt_fn fn, void *arg, size_t bytes) {
    struct task target = {.id = tr2_new_id(), .type = 4, .parent = self->task, .team = self->team};
    REPORT(begin, (uint64_t, void *, uint64_t, int, void *), self->task->id, self->task->frame,
         target.id, number, (void *)fn);
    struct task *outer = self->task;
    self->task = &target, target_device = number;
    map(number, 1, bytes, fn);
    if (begin == 62) {
        struct job job = {number, fn, arg};
        pthread_t thread;
        if (pthread_create(&thread, NULL, kernel, &job)) abort();
        pthread_join(thread, NULL);
    }
    map(number, 2, bytes, fn);
    self->task = outer, target_device = -1;
    REPORT(end, (uint64_t), target.id);
    tr2_old_id(target.id);
}

void rt_target(int number, rt_fn fn, void *arg) { offload(number, 62, 63, fn, arg, 4096); }
void rt_target_update(int number, rt_fn fn, size_t bytes) {
    offload(number, 66, 67, fn ? fn : nothing, NULL, bytes);
}
void rt_target_data(int number, rt_fn fn, void *arg) {
    uint64_t id = tr2_new_id();
    REPORT(64, (uint64_t, uint64_t, int, void *), self->task->id, id, number, (void *)fn);
    fn(arg);
    REPORT(65, (uint64_t), id);
    tr2_old_id(id);
}

tr2_any tr2_device_function(const char *name) {
    static const struct { const char *name; tr2_any function; } functions[] = {
        {"ompt_get_num_devices", (tr2_any)num_devices},
        {"ompt_get_device_info", (tr2_any)device_info},
        {"ompt_get_target_device_id", (tr2_any)target_device_id},
        {"ompt_get_target_device_time", (tr2_any)target_device_time},
        {"ompt_record_set", (tr2_any)record_set},
        {"ompt_record_native_set", (tr2_any)record_native_set},
        {"ompt_recording_start", (tr2_any)recording_start},
        {"ompt_recording_stop", (tr2_any)recording_stop},
        {"ompt_buffer_cursor_advance", (tr2_any)cursor_advance},
        {"ompt_record_get_type", (tr2_any)record_get_type},
        {"ompt_record_get", (tr2_any)record_get},
        {"ompt_record_native_get", (tr2_any)record_native_get},
        {"ompt_record_native_get_kind", (tr2_any)native_kind},
        {"ompt_record_native_get_type", (tr2_any)native_type},
        {"ompt_record_native_get_time", (tr2_any)native_time},
        {"ompt_record_native_get_hwid", (tr2_any)native_hwid},
    };
    for (size_t at = 0; at < sizeof functions / sizeof *functions; at++)
        if (!strcmp(name, functions[at].name)) return functions[at].function;
    return NULL;
}

/* Every buffer is given back before the runtime is over. */
void tr2_devices_done(void) {
    for (int number = 0; number < devices; number++)
        if (device[number].request) recording_stop(number);
}

void tr2_write_device_counts(void *file) {
    fprintf(file, "  \"devices\": [");
    for (int number = 0; number < devices; number++) {
        fprintf(file, "%s\n    {\"native\": %lu, \"buffers\": %lu, \"events\": {", number ? "," : "",
                device[number].native_reported, device[number].buffers);
        for (int type = 1, count = 0; type < 70; type++)
            if (device[number].ompt_reported[type])
                fprintf(file, "%s\"%d\": %lu", count++ ? ", " : "", type,
                        device[number].ompt_reported[type]);
        fprintf(file, "}}");
    }
    fprintf(file, "\n  ]\n");
}
#else
void rt_target(int number, rt_fn fn, void *arg) { (void)number, fn(arg); }
void rt_target_data(int number, rt_fn fn, void *arg) { (void)number, fn(arg); }
void rt_target_update(int number, rt_fn fn, size_t bytes) { (void)number, (void)fn, (void)bytes; }
tr2_any tr2_device_function(const char *name) { return (void)name, NULL; }
void tr2_devices_done(void) {}
void tr2_write_device_counts(void *file) { fprintf(file, "  \"devices\": []\n"); }
#endif
