// atomic in all its forms. clang compiles them to instructions: no events are certain.
// run: threads=4
// build: flags=-fopenmp-version=51
// expect: parallel_begin=1
#include "../check.h"

int main(void) {
  int count = 0, most = 0, swapped = 0, seen = 0;
  double sum = 0;
#pragma omp parallel for
  for (int i = 1; i <= 100; i++) {
    int before, now;
#pragma omp atomic update
    count++;
#pragma omp atomic capture seq_cst
    {
      before = seen;
      seen++;
    }
#pragma omp atomic read acquire
    now = count;
#pragma omp atomic write release
    swapped = before + now;
#pragma omp atomic compare
    if (most < i) most = i;
#pragma omp atomic
    sum += i;
  }
  return finish("atomic", count == 100 && seen == 100 && most == 100 && sum == 5050 && swapped);
}
