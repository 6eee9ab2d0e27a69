// Whether the tool has to record, as the program says. Sequentially consistent: a callback that sees the
// same odd word before and after itself lies between a start that was over and a pause that had not begun.
#include "steer.h"

#include <stdlib.h>
#include <string.h>

static uint64_t word = 1;

// A tool that begins paused does so before the program can say a word.
__attribute__((constructor))
static void begin(void) {
  const char *start = getenv("OMPTTRACE_START");
  if (start && strcmp(start, "off") == 0) word = 2;
}

__attribute__((visibility("default")))
void oracle_pauses(int pauses) {
  uint64_t now = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
  if ((now & 1) == (uint64_t)(pauses != 0)) __atomic_store_n(&word, now + 1, __ATOMIC_SEQ_CST);
}

uint64_t steering(void) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }
