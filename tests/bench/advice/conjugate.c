/* The shape of NPB's CG on a small matrix: each product and each update of a vector is a parallel region of its own, and
 * most have microseconds of work. CURED: one region around all steps. */
#include <stdio.h>

enum { ROWS = 400, STEPS = 6000 };

static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];

static double product(int row) {
  double left = row > 0 ? p[row - 1] : 0, right = row < ROWS - 1 ? p[row + 1] : 0;
  return 2.5 * p[row] - left - right;
}

#ifdef CURED
#define LOOP _Pragma("omp for nowait schedule(static)")
#define SHARED_LOOP _Pragma("omp for schedule(static)")
#else
#define LOOP _Pragma("omp parallel for schedule(static)")
#define SHARED_LOOP LOOP
#endif

static void steps(void) {
  for (int step = 0; step < STEPS; step++) {
    SHARED_LOOP
    for (int row = 0; row < ROWS; row++) q[row] = product(row);
    LOOP
    for (int row = 0; row < ROWS; row++) x[row] += 0.1 * p[row];
    LOOP
    for (int row = 0; row < ROWS; row++) r[row] -= 0.1 * q[row];
    SHARED_LOOP
    for (int row = 0; row < ROWS; row++) p[row] = r[row] + 0.3 * p[row];
  }
}

int main(void) {
  for (int row = 0; row < ROWS; row++) r[row] = p[row] = 1.0 / (row + 1);
#ifdef CURED
#pragma omp parallel
#endif
  steps();
  double sum = 0;
  for (int row = 0; row < ROWS; row++) sum += x[row];
  printf("%.6f\n", sum);
  return 0;
}
