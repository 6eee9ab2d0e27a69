// A library with OpenMP in it, for programs that have none themselves.
#include "../programs/counted.h"

void plugin_opened(void) { own_counts_open(); }

void plugin_region(int times) {
#pragma omp parallel num_threads(3)
  counted_times(times);
}
