/* A program that plays an OpenMP runtime with a device that traces itself (OpenMP 5.2, 19.5.2.23 and 19.6): buffers of the tool's are
 * filled with records of what the device did, by a clock of its own. What the program prints is what the recording has to have.
 *
 * Arguments: how many rounds, then words:
 * `tiny` buffers hold three records; `null` buffers come back, too; `thread`: buffers come back on another thread; `late`: after the
 * device was stopped; `shared`: a buffer comes back in parts before it is the tool's again; `disordered`: the records of a buffer come
 * back to front; `never`: a flush does not return; `plain`: events without data words; `native`: records of the device's own form, too;
 * `pause`: the program pauses recording for half of the rounds; `deaf`: the device goes on meanwhile; `kill`: it ends by a signal amid a buffer; `none`: the device has no
 * entry points; `refused`: it does not start. */
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEVICE = 3, HANDLE = 0x3d, KERNEL_US = 500, COPY_US = 200, BYTES = 4096 };

static int arguments_count;
static char **arguments;
static ompt_callback_t callbacks[64];
static int is_set[64], native_set, is_started, is_paused;
static ompt_callback_buffer_request_t request;
static ompt_callback_buffer_complete_t complete;
static unsigned long kernels, copies, moved, targets, natives, kernel_time, buffers;

static int is(const char *word) {
    for (int at = 2; at < arguments_count; at++)
        if (strcmp(arguments[at], word) == 0) return 1;
    return 0;
}

/* Half of the host's speed, with an offset. */
static ompt_device_time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return ((uint64_t)time.tv_sec * 1000000000 + time.tv_nsec) / 2 + 987654321;
}
static void last(unsigned microseconds) { usleep(microseconds); }

/* What stands in a buffer; a cursor is the offset of one of these, and 1, so that 0 is none. */
struct entry {
    ompt_record_t form;
    ompt_record_ompt_t ompt;
    ompt_record_abstract_t own;
    ompt_id_t host_op;
};
static char *buffer;
static size_t bytes, begin, used;
static int parts;

static struct entry *at(ompt_buffer_t *of, ompt_buffer_cursor_t cursor) { return (struct entry *)((char *)of + cursor - 1); }

static int trace_device(ompt_device_t *device) { return device == (ompt_device_t *)HANDLE; }

static void back_to_front(char *from, size_t size) {
    struct entry *first = (struct entry *)from, *end = (struct entry *)(from + size), kept;
    while (first < --end) kept = *first, *first++ = *end, *end = kept;
}

/* Gives back what is in the buffer; it is the tool's again if `owned`. */
static void *give(void *owned) {
    if (is("null")) complete(DEVICE, NULL, 0, 0, 1);
    if (is("disordered")) back_to_front(buffer + begin, used - begin);
    parts = used;
    complete(DEVICE, buffer, used, begin + 1, owned != NULL);
    buffers++;
    begin = used;
    if (owned) buffer = NULL, begin = used = 0;
    return NULL;
}
static void give_back(int owned) {
    if (!buffer || (used == begin && !owned)) return;
    pthread_t thread;
    void *is_owned = owned ? &parts : NULL;
    if (is("thread") && pthread_create(&thread, NULL, give, is_owned) == 0) pthread_join(thread, NULL);
    else give(is_owned);
}

static struct entry *next(void) {
    if (!is_started || is_paused) return NULL;
    size_t most = is("tiny") ? 3 * sizeof(struct entry) : bytes;
    if (buffer && used + sizeof(struct entry) > most) give_back(1);
    if (!buffer) {
        ompt_buffer_t *given = NULL;
        bytes = 0;
        request(DEVICE, &given, &bytes);
        if (!given || bytes < sizeof(struct entry)) return NULL;
        buffer = given, begin = used = 0;
    } else if (is("shared") && used == begin + sizeof(struct entry)) {
        give_back(0);
    }
    struct entry *entry = (struct entry *)(buffer + used);
    used += sizeof *entry;
    memset(entry, 0, sizeof *entry);
    return entry;
}

static struct entry *next_ompt(ompt_callbacks_t with_data, ompt_callbacks_t without, ompt_id_t target) {
    ompt_callbacks_t which = is_set[with_data] ? with_data : without;
    struct entry *entry = is_set[which] ? next() : NULL;
    if (!entry) return NULL;
    entry->form = ompt_record_ompt;
    entry->ompt = (ompt_record_ompt_t){.type = which, .time = now(), .thread_id = 1, .target_id = target};
    return entry;
}

static void own(const char *name, ompt_device_time_t from, ompt_id_t host_op) {
    struct entry *entry = native_set ? next() : NULL;
    if (!entry) return;
    entry->form = ompt_record_native;
    entry->own = (ompt_record_abstract_t){ompt_record_native_event, name, from, now(), 5};
    entry->host_op = host_op;
    natives++;
}

/* The device does something for so long; the host waits for it. */
static void kernel(ompt_id_t target, ompt_id_t host_op) {
    struct entry *entry = next_ompt(ompt_callback_target_submit_emi, ompt_callback_target_submit, target);
    ompt_device_time_t from = now();
    last(KERNEL_US);
    if (entry) {
        entry->ompt.record.target_kernel = (ompt_record_target_kernel_t){host_op, 4, 4, entry->ompt.time + KERNEL_US * 500};
        kernels++, kernel_time += KERNEL_US * 1000;
    }
    own("kernel execution", from, host_op);
}
static void copy(ompt_id_t target, ompt_id_t host_op, ompt_target_data_op_t kind) {
    struct entry *entry = next_ompt(ompt_callback_target_data_op_emi, ompt_callback_target_data_op, target);
    last(COPY_US);
    if (entry) {
        entry->ompt.record.target_data_op =
            (ompt_record_target_data_op_t){host_op, kind, NULL, -1, NULL, DEVICE, BYTES, entry->ompt.time + COPY_US * 500, NULL};
        copies++, moved += BYTES;
    }
}
static void construct(ompt_id_t target, ompt_scope_endpoint_t endpoint) {
    struct entry *entry = next_ompt(ompt_callback_target_emi, ompt_callback_target, target);
    if (!entry) return;
    entry->ompt.record.target = (ompt_record_target_t){ompt_target, endpoint, DEVICE, 0, target, NULL};
    if (endpoint == ompt_scope_end) targets++;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned enable, unsigned event) {
    int has_data = event == ompt_callback_target_emi || event == ompt_callback_target_data_op_emi || event == ompt_callback_target_submit_emi;
    if (!trace_device(device) || event >= 64 || (has_data && is("plain"))) return ompt_set_never;
    is_set[event] = enable;
    return ompt_set_always;
}
static ompt_set_result_t set_trace_native(ompt_device_t *device, int enable, int flags) {
    if (!trace_device(device) || !flags || !is("native")) return ompt_set_never;
    return native_set = enable, ompt_set_always;
}
static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t requested, ompt_callback_buffer_complete_t completed) {
    if (!trace_device(device) || is("refused")) return 0;
    request = requested, complete = completed;
    return is_started = 1;
}
static int pause_trace(ompt_device_t *device, int begins) { return is_paused = begins && !is("deaf"), trace_device(device); }
static int flush_trace(ompt_device_t *device) {
    while (is("never")) pause();
    if (!is("late")) give_back(1);
    return trace_device(device);
}
static int stop_trace(ompt_device_t *device) {
    if (!is("late")) give_back(1);
    return is_started = 0, trace_device(device);
}
static int advance(ompt_device_t *device, ompt_buffer_t *of, size_t size, ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next_one) {
    (void)device, (void)of;
    *next_one = current + sizeof(struct entry);
    return *next_one - 1 + sizeof(struct entry) <= size;
}
static ompt_record_t record_type(ompt_buffer_t *of, ompt_buffer_cursor_t current) { return at(of, current)->form; }
static ompt_record_ompt_t *record_ompt(ompt_buffer_t *of, ompt_buffer_cursor_t current) {
    /* Storage that the next answer overwrites. */
    static __thread ompt_record_ompt_t copied;
    return copied = at(of, current)->ompt, &copied;
}
static void *record_native(ompt_buffer_t *of, ompt_buffer_cursor_t current, ompt_id_t *host_op) {
    return *host_op = at(of, current)->host_op, &at(of, current)->own;
}
static ompt_record_abstract_t *record_abstract(void *record) { return record; }
static double translate(ompt_device_t *device, ompt_device_time_t time) { return (void)device, (time - 987654321) * 2e-9; }
static int procs(ompt_device_t *device) { return (void)device, 8; }

static ompt_interface_fn_t look_up_device(const char *name) {
    static const struct { const char *name; ompt_interface_fn_t function; } all[] = {
        {"ompt_get_device_num_procs", (ompt_interface_fn_t)procs}, {"ompt_get_device_time", (ompt_interface_fn_t)now},
        {"ompt_translate_time", (ompt_interface_fn_t)translate}, {"ompt_set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt},
        {"ompt_set_trace_native", (ompt_interface_fn_t)set_trace_native}, {"ompt_start_trace", (ompt_interface_fn_t)start_trace},
        {"ompt_pause_trace", (ompt_interface_fn_t)pause_trace}, {"ompt_flush_trace", (ompt_interface_fn_t)flush_trace},
        {"ompt_stop_trace", (ompt_interface_fn_t)stop_trace}, {"ompt_advance_buffer_cursor", (ompt_interface_fn_t)advance},
        {"ompt_get_record_type", (ompt_interface_fn_t)record_type}, {"ompt_get_record_ompt", (ompt_interface_fn_t)record_ompt},
        {"ompt_get_record_native", (ompt_interface_fn_t)record_native}, {"ompt_get_record_abstract", (ompt_interface_fn_t)record_abstract},
    };
    for (size_t which = 0; which < sizeof all / sizeof *all && !is("none"); which++)
        if (strcmp(name, all[which].name) == 0) return all[which].function;
    return NULL;
}

static ompt_set_result_t set(ompt_callbacks_t which, ompt_callback_t callback) {
    if ((unsigned)which < 64) callbacks[which] = callback;
    return ompt_set_always;
}
static ompt_interface_fn_t look_up(const char *name) {
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set : NULL;
}
#define EMIT(which, ...) \
    do { if (callbacks[which]) ((which##_t)callbacks[which])(__VA_ARGS__); } while (0)

static void operation(ompt_data_t *target, ompt_target_data_op_t kind) {
    ompt_id_t host_op = 0;
    EMIT(ompt_callback_target_data_op_emi, ompt_scope_begin, NULL, target, &host_op, kind, NULL, -1, NULL, DEVICE, BYTES, NULL);
    copy(target->value, host_op, kind);
    EMIT(ompt_callback_target_data_op_emi, ompt_scope_end, NULL, target, &host_op, kind, NULL, -1, NULL, DEVICE, BYTES, NULL);
}
static void round_of(ompt_data_t *task) {
    ompt_data_t target = {0};
    ompt_id_t host_op = 0;
    EMIT(ompt_callback_target_emi, ompt_target, ompt_scope_begin, DEVICE, task, NULL, &target, NULL);
    construct(target.value, ompt_scope_begin);
    operation(&target, ompt_target_data_transfer_to_device);
    EMIT(ompt_callback_target_submit_emi, ompt_scope_begin, &target, &host_op, 4);
    kernel(target.value, host_op);
    EMIT(ompt_callback_target_submit_emi, ompt_scope_end, &target, &host_op, 4);
    operation(&target, ompt_target_data_transfer_from_device);
    construct(target.value, ompt_scope_end);
    EMIT(ompt_callback_target_emi, ompt_target, ompt_scope_end, DEVICE, task, NULL, &target, NULL);
}
static void control(uint64_t command) { EMIT(ompt_callback_control_tool, command, 0, NULL, NULL); }

int main(int count, char **words) {
    arguments_count = count, arguments = words;
    int rounds = count > 1 ? atoi(words[1]) : 3;
    ompt_data_t thread = {0}, none = {0}, initial = {0};
    const char *library = getenv("OMP_TOOL_LIBRARIES");
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    ompt_start_tool_result_t *(*start)(unsigned, const char *) =
        handle ? (ompt_start_tool_result_t * (*)(unsigned, const char *)) dlsym(handle, "ompt_start_tool") : NULL;
    ompt_start_tool_result_t *tool = start ? start(201811, "stand-in runtime") : NULL;
    if (tool && tool->initialize(look_up, 0, &tool->tool_data)) {
        EMIT(ompt_callback_thread_begin, ompt_thread_initial, &thread);
        EMIT(ompt_callback_implicit_task, ompt_scope_begin, &none, &initial, 1, 1, ompt_task_initial);
        EMIT(ompt_callback_device_initialize, DEVICE, "stand-in device", (ompt_device_t *)HANDLE, look_up_device, NULL);
    }
    for (int round = 0; round < rounds; round++) {
        if (is("pause") && round == rounds / 2) control(2);
        round_of(&initial);
    }
    if (is("pause")) {
        control(1);
        /* Of one round nothing is kept but what the device does from here on. */
        if (is("deaf")) kernels = copies = moved = targets = natives = kernel_time = 0;
        round_of(&initial);
    }
    printf("kernels %lu copies %lu bytes %lu targets %lu natives %lu kernel_ns %lu\n", kernels, copies, moved, targets, natives, kernel_time);
    fflush(stdout);
    if (is("kill")) raise(SIGKILL);
    EMIT(ompt_callback_device_finalize, DEVICE);
    EMIT(ompt_callback_implicit_task, ompt_scope_end, NULL, &initial, 1, 1, ompt_task_initial);
    if (tool) tool->finalize(&tool->tool_data);
    if (is("late")) is_started = 1, give_back(1);
    return 0;
}
