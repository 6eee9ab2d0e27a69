// Dependences of every type: a chain, readers, mutexinoutset and inoutset.
// run: threads=4
// expect: task_create:explicit=14 dependences=14 dependence_entries=15
#include "../check.h"

int main(void) {
  int a = 0, b = 0, readers = 0, order = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = 1;
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : a) shared(a, readers, order)
      {
#pragma omp atomic
        order &= a == 1;
#pragma omp atomic
        readers++;
      }
    }
#pragma omp task depend(inout : a) depend(out : b) shared(a, b, readers, order)
    {
      order &= readers == 4;
      a = 2;
      b = 10;
    }
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(mutexinoutset : b) shared(b)
      b++;
    }
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(inoutset : a) shared(a)
#pragma omp atomic
      a++;
    }
#pragma omp task depend(in : a) shared(a, order)
    order &= a == 5;
  }
  return finish("task_depend", order && a == 5 && b == 14);
}
