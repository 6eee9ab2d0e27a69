// Eight thousand small tasks, or as many as the argument says, from all threads at once: more than the runtime's queues hold.
// run: threads=4
// expect: task_create:explicit=8000 task_schedule:complete=8000
#include <stdlib.h>

#include "../check.h"

int main(int count, char **arguments) {
  int tasks = count > 1 ? atoi(arguments[1]) : 8000, done = 0;
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < tasks; i++) {
#pragma omp task shared(done)
    {
#pragma omp atomic
      done++;
    }
  }
  return finish("many_tasks", done == tasks);
}
