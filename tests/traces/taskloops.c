// Taskloops of every form, one of them with so many tasks that tasks of the runtime's own create them, and one in the
// midst of another's creations: each creates as many tasks as its line says, on an LLVM runtime.
// run: threads=4
#include "../programs/check.h"

static int count;

static void one(void) {
#pragma omp atomic
  count++;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(10) // 10
    for (int i = 0; i < 100; i++)
      one();
#pragma omp taskloop num_tasks(7) nogroup // 7
    for (int i = 0; i < 100; i++)
      one();
#pragma omp taskloop num_tasks(5) reduction(+ : count) // 5
    for (int i = 0; i < 50; i++)
      count++;
#pragma omp taskloop if (0) num_tasks(3) // 3
    for (int i = 0; i < 9; i++) {
#pragma omp taskloop num_tasks(2) nogroup // 18
      for (int j = 0; j < 2; j++)
        one();
    }
#pragma omp taskloop num_tasks(900) nogroup // many
    for (int i = 0; i < 900; i++)
      one();
#pragma omp task // 1
    one();
  }
  return finish("taskloops", count > 0);
}
