// Lists of dependences: one task with thirty of them, longer than any short record.
// run: threads=4
// expect: task_create:explicit=31 dependences=31 dependence_entries=60
#include "../check.h"

int main(void) {
  int cell[30] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 30; i++) {
#pragma omp task depend(out : cell[i]) shared(cell)
      cell[i] = i;
    }
#pragma omp task depend(iterator(i = 0 : 30), in : cell[i]) shared(cell, sum)
    for (int i = 0; i < 30; i++) sum += cell[i];
  }
  return finish("depend_iterator", sum == 435);
}
