/* The shape of Parboil's histo: all threads count into one table under one lock. CURED: each has a table of its own. */
#include <omp.h>
#include <stdio.h>

enum { BINS = 64, VALUES = 300000 };

static long bins[BINS];

static unsigned bin(int value) {
  unsigned mixed = (unsigned)value * 2654435761u;
  for (int round = 0; round < 60; round++) mixed = (mixed ^ (mixed >> 13)) * 1274126177u + 1;
  return mixed % BINS;
}

int main(void) {
#ifdef CURED
#pragma omp parallel for reduction(+ : bins)
  for (int value = 0; value < VALUES; value++) bins[bin(value)]++;
#else
#pragma omp parallel for
  for (int value = 0; value < VALUES; value++) {
    unsigned at = bin(value);
#pragma omp critical(table)
    bins[at]++;
  }
#endif
  long all = 0;
  for (int at = 0; at < BINS; at++) all += bins[at];
  printf("%ld\n", all);
  return all != VALUES;
}
