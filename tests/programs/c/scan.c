// An inclusive scan over a loop.
// run: threads=4
// expect: parallel_begin=1
#include "../check.h"

int main(void) {
  int sum = 0, prefix[64];
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < 64; i++) {
    sum += i;
#pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  return finish("scan", prefix[63] == 2016 && prefix[10] == 55);
}
