/* The store that `tsc` and `raw` share: a 1 MiB buffer per thread, warm from
 * the first event on, and 32 bytes an event. A tool that includes this file
 * has defined FULL(ring), which is called when a buffer is full and before it
 * is used from the start again. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct record {
    uint64_t time, event, a, b;
};

enum { RING_RECORDS = (1 << 20) / sizeof(struct record) };

struct ring {
    struct ring *next;
    struct record *cursor;
    struct record records[RING_RECORDS];
};

static struct ring *all_rings;
static pthread_mutex_t rings_lock = PTHREAD_MUTEX_INITIALIZER;

/* Both are zero in a new thread, which sends its first event the slow way. */
static __thread __attribute__((tls_model("initial-exec"))) struct record *cursor, *end;
static __thread __attribute__((tls_model("initial-exec"))) struct ring *ring;

static void FULL(struct ring *full);

static void make_ring(void)
{
    ring = aligned_alloc(4096, (sizeof *ring + 4095) / 4096 * 4096);
    if (!ring)
        abort();
    memset(ring, 1, sizeof *ring); /* first touch costs more than an event */
    pthread_mutex_lock(&rings_lock);
    ring->next = all_rings;
    all_rings = ring;
    pthread_mutex_unlock(&rings_lock);
    ring->cursor = ring->records;
    end = ring->records + RING_RECORDS;
}

static __attribute__((noinline, cold)) void make_room(void)
{
    if (ring) {
        ring->cursor = end;
        FULL(ring);
    } else {
        make_ring();
    }
    cursor = ring->records;
}

static inline void store(uint64_t time, uint64_t event, uint64_t a, uint64_t b)
{
    if (__builtin_expect(cursor == end, 0))
        make_room();
    *cursor++ = (struct record){time, event, a, b};
}
