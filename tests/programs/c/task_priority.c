// Priorities. With them libomp 16 alone deadlocks about once in a hundred runs, without any tool, too.
// needs: libomp>=19 intel>=2024
// run: threads=4 env=OMP_MAX_TASK_PRIORITY=10
// expect: task_create:explicit=10
#include "../check.h"

int main(void) {
  int ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task priority(i) shared(ran)
    {
#pragma omp atomic
      ran++;
    }
  }
  return finish("task_priority", ran == 10);
}
