// Collapsed loops: a rectangle and a triangle.
// run: threads=4
// needs: libomp>=14 intel>=2024
// expect: work.begin=8 work.end=8
#include "../check.h"

int main(void) {
  int cells = 0;
#pragma omp parallel reduction(+ : cells)
  {
#pragma omp for collapse(2)
    for (int i = 0; i < 10; i++)
      for (int j = 0; j < 12; j++) cells++;
#pragma omp for collapse(2)
    for (int i = 0; i < 10; i++)
      for (int j = 0; j < i; j++) cells++;
  }
  return finish("for_collapse", cells == 120 + 45);
}
