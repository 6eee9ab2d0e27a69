// Whether the tool has to record, as the program says. Sequentially consistent: a callback that sees the
// same odd word before and after itself lies between a start that was over and a pause that had not begun.
#include "steer.h"

static uint64_t word = 1;

__attribute__((visibility("default")))
void oracle_pauses(int pauses) {
  uint64_t now = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
  if ((now & 1) == (uint64_t)(pauses != 0)) __atomic_store_n(&word, now + 1, __ATOMIC_SEQ_CST);
}

uint64_t steering(void) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }
