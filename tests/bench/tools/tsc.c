/* The floor: read the clock, store 32 bytes into a warm ring, forget them. */
#include <stdint.h>

#define FULL wrap
#include "ring.h"

static void wrap(struct ring *full)
{
    (void)full;
}

#define EVENT(id, a, b) store(clock_now(), id, a, b)
#define AT_END() (void)0
#include "all.h"
