// simd alone is no business of the runtime; for simd is a loop like others.
// run: threads=4
// expect: parallel_begin=1 work.begin=4
#include "../check.h"

#pragma omp declare simd uniform(scale)
static float scaled(float value, float scale) { return value * scale; }

int main(void) {
  static float a[256];
  float sum = 0;
#pragma omp simd safelen(8)
  for (int i = 0; i < 256; i++) a[i] = 1;
#pragma omp parallel for simd reduction(+ : sum) simdlen(4)
  for (int i = 0; i < 256; i++) sum += scaled(a[i], 2);
  return finish("simd", sum == 512);
}
