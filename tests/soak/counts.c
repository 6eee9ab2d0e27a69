// The program's own counts of critical sections: in this file only, for counted.h has state of its own
// in every file that includes it.
#include "../programs/counted.h"

#include "soak.h"

void count_anew(void) { own_counts_open(); }

void critical_section(void) {
  if (recording) {
    counted();
    return;
  }
#pragma omp critical(unseen)
  __asm__ volatile("");
}
