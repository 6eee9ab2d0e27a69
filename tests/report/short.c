// Four loops with next to no work, over and over.
// run: threads=2
#include "../programs/check.h"

enum { TIMES = 2000, SIZE = 64 };

static double a[SIZE], b[SIZE];

int main(void) {
  for (int time = 0; time < TIMES; time++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++) a[i] = i + time; /* first */
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++) b[i] = a[i] * 2;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++) a[i] += b[i];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++) b[i] -= a[i]; /* last */
  }
  return finish("short", b[1] == -TIMES);
}
