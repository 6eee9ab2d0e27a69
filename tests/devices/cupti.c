/* A stand-in for libcupti: activities of a device that is not there, in buffers of the tool's, in the layouts of CUPTI 13 or 12.
 *
 * STANDIN_CUPTI is a list of words: `small` (a few records a buffer), `thread` (buffers come back on a thread of its own),
 * `backwards` (records of a buffer in reverse order), `subscribed` (another tool is there), `refused` (kernels are not recorded),
 * `dropped` (every buffer comes back with three records missing), `early` (null buffers come back, too), `unmanaged` (the device has no unified
 * memory), `few` (it has the first four counters alone), `later` (these can be
 * asked for once there is a context), `twelve` (records as long as in CUPTI 12; all others have numbers behind them
 * that mean nothing to the tool). */
#define _GNU_SOURCE
#include "cupti.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void (*Request)(uint8_t **, size_t *, size_t *);
typedef void (*Complete)(void *, uint32_t, uint8_t *, size_t, size_t);

enum {
    COPY = 1, SET = 2, DRIVER = 4, RUNTIME = 5, DEVICE = 8, KERNEL = 10, UNIFIED = 25, EVENT = 36, SYNC = 38, EXTERNAL = 39,
    KINDS = 64, MOST = 64, RECORD = 216, COUNTERS = 9
};

typedef void (*Callback)(void *, uint32_t, uint32_t, const void *);

static Callback callback;
static void *called_with;
static int watches, has_context;
static Request request;
static Complete complete;
static int enabled[KINDS], counted[COUNTERS], by_system;

/* Functions by their numbers here; those of the driver and of the runtime are in the same order. */
enum { ASKS, LAUNCH, WAIT, TO_DEVICE, FROM_DEVICE, MEMSET, RECORD_EVENT, WAIT_EVENT, EVENT_DONE, ALL_DONE, FUNCTIONS };
static const char *const functions[2][FUNCTIONS] = {
    {"cuCtxGetCurrent", "cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemsetD8_v2",
     "cuEventRecord", "cuStreamWaitEvent", "cuEventSynchronize", "cuCtxSynchronize"},
    {"cudaGetLastError_v3020", "cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020", "cudaMemcpy_v3020", "cudaMemcpy_v3020",
     "cudaMemset_v3020", "cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020", "cudaEventSynchronize_v3020",
     "cudaDeviceSynchronize_v3020"},
};
static uint8_t *buffer;
static size_t bytes, used;
static uint32_t correlation;
static size_t missing;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread uint64_t pushed[MOST];
static __thread int depth;

static int is(const char *word) {
    const char *all = getenv("STANDIN_CUPTI");
    return all && strstr(all, word);
}

uint64_t standin_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return ((uint64_t)time.tv_sec * 1000000000 + time.tv_nsec) / 2 + 12345;
}

/* Every record has the same size here, so that they can be turned round. */
static void turn(void) {
    uint8_t kept[RECORD];
    for (size_t first = 0, last = used; first + RECORD < last; first += RECORD) {
        last -= RECORD;
        memcpy(kept, buffer + first, RECORD);
        memcpy(buffer + first, buffer + last, RECORD);
        memcpy(buffer + last, kept, RECORD);
    }
}

static void *give(void *none) {
    if (is("backwards")) turn();
    if (is("dropped")) missing = 3;
    if (is("early")) complete(NULL, 0, NULL, 0, 0);
    complete(NULL, 0, buffer, bytes, used);
    buffer = NULL;
    return none;
}

static void give_back(void) {
    pthread_t thread;
    if (!buffer) return;
    if (is("thread") && pthread_create(&thread, NULL, give, NULL) == 0) pthread_join(thread, NULL);
    else give(NULL);
}

static void put(const void *record, size_t size) {
    size_t most = is("small") ? 3 * RECORD : bytes;
    if (buffer && used + RECORD > most) give_back();
    if (!buffer) {
        size_t records = 0;
        request(&buffer, &bytes, &records);
        used = 0;
        if (!buffer || bytes < RECORD) return;
    }
    memset(buffer + used, 0, RECORD);
    memcpy(buffer + used, record, size);
    used += RECORD;
}

static void field(uint8_t *record, size_t offset, const void *value, size_t size) { memcpy(record + offset, value, size); }
static void word(uint8_t *record, size_t offset, uint32_t value) { field(record, offset, &value, sizeof value); }
static void wide(uint8_t *record, size_t offset, uint64_t value) { field(record, offset, &value, sizeof value); }

/* A call of the driver's: what was pushed is written down beside its number. The first one makes a context. */
static uint32_t call(void) {
    correlation++;
    if (!has_context) {
        has_context = 1;
        if (watches) callback(called_with, 3, 1, NULL);
    }
    /* As the real one: of calls that are not recorded themselves nothing else is. */
    if (depth && enabled[EXTERNAL] && enabled[DRIVER]) {
        uint8_t record[RECORD] = {0};
        word(record, 0, EXTERNAL), word(record, 4, 3);
        wide(record, 8, pushed[depth - 1]), word(record, 16, correlation);
        put(record, sizeof record);
    }
    return correlation;
}

/* The record of a call: of the driver's, or of the runtime's where the program called that by itself. */
static void called_until(uint32_t function, uint64_t begin, uint64_t end, uint32_t number) {
    int kind = depth ? DRIVER : RUNTIME;
    uint8_t record[RECORD] = {0};
    if (!enabled[kind]) return;
    word(record, 0, kind), word(record, 4, function);
    wide(record, 8, begin), wide(record, 16, end);
    word(record, 24, getpid()), word(record, 28, by_system ? (uint32_t)gettid() : (uint32_t)pthread_self());
    word(record, 32, number);
    put(record, sizeof record);
}

static void called(uint32_t function, uint64_t begin, uint32_t number) { called_until(function, begin, standin_now(), number); }

static void last(uint64_t microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static uint64_t activity(uint8_t *record, int kind, size_t at, uint32_t stream, uint64_t microseconds) {
    /* It takes as long as it is said to, by the stand-in's clock of half the speed, however late the caller goes on. */
    uint64_t begin = standin_now(), end = begin + microseconds * 1000 / 2;
    last(microseconds);
    wide(record, 16, begin), wide(record, 24, end);
    word(record, 0, kind), word(record, at, 0), word(record, at + 4, 1), word(record, at + 8, stream);
    if (enabled[kind]) put(record, RECORD);
    return end - begin;
}

uint64_t standin_kernel(const char *name, uint32_t stream, uint64_t microseconds) {
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    called(ASKS, standin_now(), correlation + 1);
    uint64_t begin = standin_now();
    uint32_t number = call();
    word(record, 92, number);
    field(record, 104, &name, sizeof name);
    called(LAUNCH, begin, number);
    begin = standin_now();
    number = call();
    uint64_t took = activity(record, KERNEL, 40, stream, microseconds);
    called(WAIT, begin, number);
    pthread_mutex_unlock(&mutex);
    return took;
}

static void memory(int kind, uint32_t detail, uint64_t moved, uint32_t stream, uint64_t microseconds) {
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    uint64_t begin = standin_now();
    uint32_t number = call();
    word(record, 44, number);
    word(record, 4, detail), wide(record, 8, moved);
    activity(record, kind, 32, stream, microseconds);
    called(kind == SET ? MEMSET : detail == 1 ? TO_DEVICE : FROM_DEVICE, begin, number);
    pthread_mutex_unlock(&mutex);
}

void standin_copy(int direction, uint64_t moved, uint32_t stream, uint64_t microseconds) {
    memory(COPY, direction, moved, stream, microseconds);
}
void standin_set(uint32_t value, uint64_t set, uint32_t stream, uint64_t microseconds) {
    memory(SET, value, set, stream, microseconds);
}

void standin_untimed(void) {
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    word(record, 0, KERNEL);
    if (enabled[KERNEL]) put(record, sizeof record);
    pthread_mutex_unlock(&mutex);
}

/* What follows a record of CUPTI 12's in CUPTI 13's. */
static void more(uint8_t *record, size_t from) {
    for (size_t at = from; !is("twelve") && at < RECORD; at++) record[at] = 0xa5;
}

uint64_t standin_unified(uint32_t counter, uint64_t value, uint64_t address, uint32_t flags, uint64_t microseconds) {
    /* From and to which device, by counter; the host is none, and what CUPTI says is to be ignored is 77. */
    static const uint32_t host = UINT32_MAX, none = 77;
    const uint32_t devices[COUNTERS][2] = {
        {none, none}, {host, 0}, {0, host}, {none, none}, {0, none}, {1, none}, {0, none}, {host, 0}, {1, 0},
    };
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    uint64_t begin = standin_now(), end = begin + microseconds * 1000 / 2;
    last(microseconds);
    /* A fault of the host, thrashing and a remote map have no end. */
    int is_instant = counter == 3 || counter == 5 || counter == 7;
    word(record, 0, UNIFIED), word(record, 4, counter), wide(record, 8, value);
    wide(record, 16, begin), wide(record, 24, is_instant ? 1 : end), wide(record, 32, address);
    word(record, 40, devices[counter][0]), word(record, 44, devices[counter][1]);
    word(record, 48, none), word(record, 52, getpid()), word(record, 56, flags);
    more(record, 64);
    if (enabled[UNIFIED] && counted[counter]) put(record, RECORD);
    pthread_mutex_unlock(&mutex);
    return is_instant ? 0 : end - begin;
}

static void synchronized(uint32_t type, uint64_t begin, uint64_t end, uint32_t stream, uint32_t event) {
    uint8_t record[RECORD] = {0};
    word(record, 0, SYNC), word(record, 4, type), wide(record, 8, begin), wide(record, 16, end);
    word(record, 24, correlation), word(record, 28, 1), word(record, 32, stream), word(record, 36, event);
    more(record, 40);
    if (enabled[SYNC]) put(record, RECORD);
}

void standin_launch(uint64_t at, const char *name, uint32_t stream, uint64_t begin, uint64_t end) {
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    word(record, 92, call()), field(record, 104, &name, sizeof name);
    word(record, 0, KERNEL), word(record, 44, 1), word(record, 48, stream), wide(record, 16, begin), wide(record, 24, end);
    called_until(LAUNCH, at, at + 1000, correlation);
    if (enabled[KERNEL]) put(record, RECORD);
    pthread_mutex_unlock(&mutex);
}

void standin_record(uint64_t at, uint32_t event, uint32_t stream) {
    uint8_t record[RECORD] = {0};
    pthread_mutex_lock(&mutex);
    word(record, 0, EVENT), word(record, 4, call()), word(record, 8, 1), word(record, 12, stream), word(record, 16, event);
    more(record, 20);
    called_until(RECORD_EVENT, at, at + 1000, correlation);
    if (enabled[EVENT]) put(record, RECORD);
    pthread_mutex_unlock(&mutex);
}

void standin_wait(uint64_t at, uint32_t event, uint32_t stream) {
    pthread_mutex_lock(&mutex);
    call();
    synchronized(2, at, at + 1000, stream, event);
    called_until(WAIT_EVENT, at, at + 1000, correlation);
    pthread_mutex_unlock(&mutex);
}

void standin_synchronize(uint32_t type, uint32_t number, uint64_t microseconds) {
    static const uint32_t by_type[] = {0, EVENT_DONE, 0, WAIT, ALL_DONE};
    pthread_mutex_lock(&mutex);
    uint64_t begin = standin_now();
    call();
    last(microseconds);
    synchronized(type, begin, standin_now(), type == 3 ? number : UINT32_MAX, type == 1 ? number : UINT32_MAX);
    called(by_type[type], begin, correlation);
    pthread_mutex_unlock(&mutex);
}

int cuptiGetVersion(uint32_t *version) { return *version = is("twelve") ? 28 : 130001, 0; }
int cuptiActivityConfigureUnifiedMemoryCounter(const uint32_t (*counters)[4], uint32_t count) {
    if (is("later") && !has_context) return 15;
    if (is("unmanaged")) return 29;
    if (is("few") && count > 4) return 1;
    for (uint32_t at = 0; at < count; at++)
        if (counters[at][0] != 2 || counters[at][1] >= COUNTERS) return 1;
    for (uint32_t at = 0; at < count; at++) counted[counters[at][1]] = counters[at][3] == 1;
    return 0;
}
int cuptiSubscribe(void **handle, void *called, void *argument) {
    *handle = &callback, callback = (Callback)called, called_with = argument;
    return is("subscribed") ? 39 : 0;
}
int cuptiEnableCallback(uint32_t enable, void *handle, int domain, uint32_t number) {
    if (handle != &callback || domain != 3 || number != 1) return 1;
    return watches = enable, 0;
}
int cuptiGetTimestamp(uint64_t *time) { return *time = standin_now(), 0; }
int cuptiActivityRegisterCallbacks(Request requested, Complete completed) {
    request = requested, complete = completed;
    return 0;
}
int cuptiActivityEnable(int kind) {
    static const char name[] = "Stand-in GPU", *named = name;
    if (kind == KERNEL && is("refused")) return 15;
    enabled[kind] = 1;
    if (kind == DEVICE) {
        uint8_t record[RECORD] = {0};
        word(record, 0, DEVICE), field(record, 136, &named, sizeof named);
        put(record, sizeof record);
    }
    return 0;
}
int cuptiSetThreadIdType(int type) { return by_system = type == 1, 0; }
int cuptiGetCallbackName(int domain, uint32_t function, const char **name) {
    if (domain < 1 || domain > 2 || function >= FUNCTIONS) return 1;
    *name = functions[domain - 1][function];
    return 0;
}
int cuptiActivityGetNextRecord(uint8_t *in, size_t valid, uint8_t **record) {
    uint8_t *next = *record ? *record + RECORD : in;
    if (!in || next + RECORD > in + valid) return 12;
    *record = next;
    return 0;
}
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped) {
    (void)context, (void)stream;
    *dropped = missing, missing = 0;
    return 0;
}
int cuptiActivityFlushAll(uint32_t flag) {
    (void)flag;
    pthread_mutex_lock(&mutex);
    give_back();
    pthread_mutex_unlock(&mutex);
    return 0;
}
int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
    if (kind == 3 && depth < MOST) pushed[depth++] = id;
    return 0;
}
int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *id) {
    if (kind != 3 || !depth) return 1;
    *id = pushed[--depth];
    return 0;
}
int cuptiGetResultString(int result, const char **words) {
    *words = result == 15 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
             : result == 29 ? "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE" : "CUPTI_ERROR_UNKNOWN";
    return 0;
}
