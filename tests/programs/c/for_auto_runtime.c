// Loops whose schedule others choose: auto by the compiler and runtime, runtime by OMP_SCHEDULE.
// run: threads=4 env=OMP_SCHEDULE=dynamic,3
// expect: work.begin=8 work.end=8
#include "../check.h"

int main(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(auto)
    for (int i = 0; i < 300; i++) sum += i;
#pragma omp for schedule(runtime)
    for (int i = 0; i < 300; i++) sum += i;
  }
  return finish("for_auto_runtime", sum == 2 * 44850);
}
