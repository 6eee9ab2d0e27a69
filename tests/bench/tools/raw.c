/* The floor of a complete tool: as tsc.c, but a full buffer is written to the
 * file that BASELINE_OUTPUT names, and finalize writes what is left. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FULL write_out
#include "ring.h"

static int output = -1;

static void open_output(void)
{
    const char *path = getenv("BASELINE_OUTPUT");
    output = path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644) : -1;
    if (output < 0) {
        perror("raw: BASELINE_OUTPUT");
        abort();
    }
}

static void write_bytes(const void *from, size_t bytes)
{
    const char *next = from;
    while (bytes) {
        ssize_t done = write(output, next, bytes);
        if (done <= 0)
            abort();
        next += done, bytes -= (size_t)done;
    }
}

static void write_out(struct ring *full)
{
    write_bytes(full->records, (size_t)(full->cursor - full->records) * sizeof *full->records);
}

/* Workers have left their cursor in their ring when they ended; the thread
 * that finalizes still has its own. */
static void write_rest(void)
{
    if (ring)
        ring->cursor = cursor;
    for (struct ring *one = all_rings; one; one = one->next)
        write_out(one);
    close(output);
}

/* 2 is thread_end; the branch is decided when this is compiled. */
#define EVENT(id, a, b)                                                                            \
    do {                                                                                           \
        store(clock_now(), id, a, b);                                                              \
        if (id == 2)                                                                               \
            ring->cursor = cursor;                                                                 \
    } while (0)
#define AT_END() write_rest()
#include "all.h"

static __attribute__((constructor)) void start(void)
{
    open_output();
}
