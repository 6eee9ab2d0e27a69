// Tasks of a program built by GCC: plain, dependent, taskloop, taskgroup.
// run: threads=4
// build: compiler=gcc
// expect: parallel_begin=1 task_create:explicit>=14
#include "../check.h"

int main(void) {
  int a = 0, b = 0, count = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(in : a) shared(a, b)
    b = a + 1;
#pragma omp taskgroup
    for (int i = 0; i < 8; i++) {
#pragma omp task shared(count)
#pragma omp atomic
      count++;
    }
#pragma omp taskloop num_tasks(4) shared(count)
    for (int i = 0; i < 8; i++) {
#pragma omp atomic
      count++;
    }
  }
  return finish("gcc_tasks", b == 2 && count == 16);
}
