// When a tool has to record: a program that pauses the tool and starts it again says so here, around each
// command, whichever way the command goes. OMPTTRACE_START=off is seen without.
#ifndef ORACLE_STEER_H
#define ORACLE_STEER_H

#include <stdint.h>

// Before the tool is paused or ended (1), and after it was started (0).
void oracle_pauses(int pauses);

// Counts a command by ompt_control, which no runtime reports, as one of omp_control_tool, and calls it.
void oracle_controls(uint64_t command, uint64_t modifier, void (*call)(uint64_t, uint64_t));

// A word that is odd while the tool has to record, and another one after each change.
uint64_t steering(void);

#endif
