// What the compiler does by itself: tile, unroll, metadirective, nothing, order(concurrent).
// run: threads=4
// build: flags=-fopenmp-version=51
// expect: parallel_begin=2 work.begin=12 work.end=12
#include "../check.h"

int main(void) {
  static int a[64][64];
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for
#pragma omp tile sizes(8, 8)
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 64; j++) a[i][j] = 0;
#pragma omp for order(concurrent)
    for (int i = 0; i < 64 * 64; i++) a[i / 64][i % 64] = 1;
  }
#pragma omp metadirective when(implementation = {vendor(llvm)} : parallel for reduction(+ : sum)) \
    default(nothing)
  for (int i = 0; i < 64; i++) {
#pragma omp unroll partial(4)
    for (int j = 0; j < 64; j++) sum += a[i][j];
  }
#pragma omp nothing
  return finish("transforms", sum == 4096);
}
