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
/* What happens to unified memory takes so long, by the number of CUPTI's counter: its value, the address, and its flags. Returns the
 * time that it is said to have taken, on the stand-in's clock. */
uint64_t standin_unified(uint32_t counter, uint64_t value, uint64_t address, uint32_t flags, uint64_t microseconds);
/* Calls at this time of the stand-in's clock, which return a microsecond later: a kernel is launched that runs from begin to end, an
 * event is recorded in a stream, a stream waits for one. */
void standin_launch(uint64_t at, const char *name, uint32_t stream, uint64_t begin, uint64_t end);
void standin_record(uint64_t at, uint32_t event, uint32_t stream);
void standin_wait(uint64_t at, uint32_t event, uint32_t stream);
/* The host waits for an event (1), a stream (3) or the context (4), by its number. */
void standin_synchronize(uint32_t type, uint32_t number, uint64_t microseconds);
/* Nanoseconds of the stand-in's clock, which runs at half the speed of the host's. */
uint64_t standin_now(void);
