// An exception that nobody catches ends the program, from a worker while the others work on.
// run: threads=3 signal=6
#include <omp.h>

#include <stdexcept>

#include "../programs/check.h"
#include "../programs/counted.h"

int main() {
  own_counts_open();
  finish("throws", 1);
#pragma omp parallel
  {
    counted_times(700);
#pragma omp barrier
    if (omp_get_thread_num() == 2) throw std::runtime_error("nobody catches this");
    for (;;) {
      counted();
      usleep(20);
    }
  }
}
