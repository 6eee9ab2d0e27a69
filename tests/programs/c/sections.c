// Sections, some with fewer sections than threads.
// run: threads=4
// expect: work:sections.begin=8 work:sections.end=8
#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel reduction(+ : done)
  {
#pragma omp sections
    {
#pragma omp section
      done += 1;
#pragma omp section
      done += 10;
#pragma omp section
      done += 100;
#pragma omp section
      done += 1000;
#pragma omp section
      done += 10000;
    }
#pragma omp sections nowait
    {
      done += 100000;
    }
  }
  return finish("sections", done == 111111);
}
