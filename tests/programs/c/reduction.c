// Reductions: of scalars, of an array section, and the user's own.
// run: threads=4
// expect: parallel_begin=3
#include "../check.h"

struct range {
  int low, high;
};

static void widen(struct range *to, const struct range *by) {
  if (by->low < to->low) to->low = by->low;
  if (by->high > to->high) to->high = by->high;
}

#pragma omp declare reduction(widen : struct range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = {1000, -1000})

int main(void) {
  int sum = 0, most = 0, bins[4] = {0};
  struct range range = {1000, -1000};
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < 100; i++) {
    sum += i;
    most = i > most ? i : most;
  }
#pragma omp parallel for reduction(+ : bins[ : 4])
  for (int i = 0; i < 100; i++) bins[i % 4]++;
#pragma omp parallel for reduction(widen : range)
  for (int i = -50; i < 50; i++) {
    struct range point = {i, i};
    widen(&range, &point);
  }
  int good = sum == 4950 && most == 99 && bins[3] == 25 && range.low == -50 && range.high == 49;
  return finish("reduction", good);
}
