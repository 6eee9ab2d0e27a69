// Sections that are cancelled by the first.
// run: threads=2 env=OMP_CANCELLATION=true
// expect: cancel:sections>=1 parallel_begin=1
#include "../check.h"

int main(void) {
  int started = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        started++;
#pragma omp cancel sections
      }
#pragma omp section
      {
#pragma omp atomic
        started++;
#pragma omp cancellation point sections
      }
#pragma omp section
      {
#pragma omp atomic
        started++;
#pragma omp cancel sections
      }
    }
  }
  return finish("cancel_sections", started >= 1);
}
