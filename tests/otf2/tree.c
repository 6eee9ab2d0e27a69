// One thread makes a task, which makes another and waits for it.
// run: threads=1
#include "../programs/check.h"

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp task shared(done)
    {
#pragma omp task shared(done)
      done++;
#pragma omp taskwait
      done++;
    }
#pragma omp taskwait
  }
  return finish("tree", done == 2);
}
