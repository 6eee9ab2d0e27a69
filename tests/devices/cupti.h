/* What a program asks the stand-in libcupti for, as it would ask a driver. */
#pragma once
#include <stdint.h>

/* A device does something for so long, as part of a call of the driver's that is numbered here. Of a kernel: the time that it is said to
 * have taken, on the stand-in's clock. */
uint64_t standin_kernel(const char *name, uint32_t stream, uint64_t microseconds);
void standin_copy(int direction, uint64_t bytes, uint32_t stream, uint64_t microseconds);
void standin_set(uint32_t value, uint64_t bytes, uint32_t stream, uint64_t microseconds);
/* An activity of which the device does not know when it was. */
void standin_untimed(void);
/* Nanoseconds of the stand-in's clock, which runs at half the speed of the host's. */
uint64_t standin_now(void);
