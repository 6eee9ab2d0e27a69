// single: plain, nowait and with copyprivate.
// run: threads=4
// expect: work:single_executor.begin=3 work:single_executor.end=3
// expect: work:single_other.begin=9 work:single_other.end=9
#include "../check.h"

int main(void) {
  int executed = 0, copies = 0;
#pragma omp parallel shared(executed, copies)
  {
    int value = 0;
#pragma omp single
    executed++;
#pragma omp single nowait
    {
#pragma omp atomic
      executed++;
    }
#pragma omp single copyprivate(value)
    value = 7;
#pragma omp atomic
    copies += value;
  }
  return finish("single", executed == 2 && copies == 28);
}
