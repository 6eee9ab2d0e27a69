// Each task of a loop gets a copy of a large object.
// run: threads=2
#include "../programs/check.h"

struct data {
  char bytes[1 << 20];
};

int main(void) {
  static struct data data;
  int sum = 0;
  data.bytes[7] = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) firstprivate(data) shared(sum) /* copied */
  for (int i = 0; i < 100; i++) {
#pragma omp atomic
    sum += data.bytes[7];
  }
  return finish("copied", sum == 100);
}
