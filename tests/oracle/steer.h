// When a tool has to record: a program that pauses the tool and starts it again says so here, around each
// command, whichever way the command goes.
#ifndef ORACLE_STEER_H
#define ORACLE_STEER_H

#include <stdint.h>

// Before the tool is paused or ended (1), and after it was started (0).
void oracle_pauses(int pauses);

// A word that is odd while the tool has to record, and another one after each change.
uint64_t steering(void);

#endif
