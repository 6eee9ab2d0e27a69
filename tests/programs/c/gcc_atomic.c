// Atomics too large for an instruction: GCC brackets them with one lock of the runtime's.
// run: threads=4
// build: compiler=gcc
// expect: mutex_acquire:atomic=40 mutex_acquired:atomic=40 mutex_released:atomic=40
#include "../check.h"

int main(void) {
  long double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 40; i++) {
#pragma omp atomic
    sum += 1;
  }
  return finish("gcc_atomic", sum == 40);
}
