// Hundreds of short regions of different places, as LULESH has them: workers idle between two of them, where they wait for
// the tool as well.
// run: threads=2
// expect: parallel_begin=800 parallel_end=800
#include "../check.h"

static double a[64];

static void first(int step) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 64; i++) a[i] += step;
}

static void second(int step) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 64; i++) a[i] -= 0.5 * step;
#pragma omp for
    for (int i = 0; i < 64; i++) a[i] -= 0.5 * step;
  }
}

static double third(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 64; i++) sum += a[i];
  return sum;
}

static void fourth(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 64; i++) a[i] = 0;
}

int main(void) {
  double sum = 0;
  for (int step = 0; step < 200; step++) {
    first(step);
    second(step);
    sum += third();
    fourth();
  }
  return finish("short_regions", sum == 0);
}
