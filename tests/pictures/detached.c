// A task that waits for a detached one, which completes long after its code is over.
// run: threads=2
// build: flags=-fopenmp-version=51
#include <omp.h>

#include "../programs/check.h"

int main(void) {
  omp_event_handle_t event;
  int x = 0, over = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x) detach(event) shared(over)
    {
#pragma omp atomic write
      over = 1;
    }
#pragma omp task depend(in : x) shared(seen)
    seen = 1;
    int is_over = 0;
    while (!is_over) {
#pragma omp taskyield
#pragma omp atomic read
      is_over = over;
    }
    for (volatile int i = 0; i < 100000; i++);
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  return finish("detached", seen);
}
