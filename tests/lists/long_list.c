// A hundred tasks with 200 dependences each, whose records are larger than the smallest buffer.
// run: threads=1
// expect: dependences=100
#include "../programs/check.h"

#define EIGHT(i) a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5], a[i + 6], a[i + 7]
#define FORTY(i) EIGHT(i), EIGHT(i + 8), EIGHT(i + 16), EIGHT(i + 24), EIGHT(i + 32)

int a[200];

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(done) depend(in : FORTY(0), FORTY(40), FORTY(80), FORTY(120), FORTY(160))
    done++;
  }
  return finish("long_list", done == 100);
}
