// A library that brings an OpenMP runtime along.
#include "../programs/counted.h"

void plugin_counts_at(int first) { own_counts_open_at(first); }

void plugin_region(int times) {
#pragma omp parallel num_threads(3)
  counted_times(times);
}
