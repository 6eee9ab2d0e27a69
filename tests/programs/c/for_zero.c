// Loops without iterations, one of each schedule.
// run: threads=4
// expect: parallel_begin=1 implicit_task:implicit.begin=4
#include "../check.h"

int main(void) {
  volatile int none = 0;
  int bodies = 0;
#pragma omp parallel reduction(+ : bodies)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < none; i++) bodies++;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < none; i++) bodies++;
#pragma omp for schedule(guided)
    for (int i = 0; i < none; i++) bodies++;
  }
  return finish("for_zero", bodies == 0);
}
