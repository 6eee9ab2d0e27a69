// What stands between runtime and tool: the tool's callbacks by event id, and ours for the same ids.
#ifndef ORACLE_FORWARD_H
#define ORACLE_FORWARD_H

#include <omp-tools.h>

#include "counts.h"

// The tool's callback of each event; NULL where it has none (or where there is no tool).
extern ompt_callback_t tools_callback[IDS];

// Our callback of each event.
extern const ompt_callback_t our_callback[IDS];

#endif
