// Detached tasks whose event their own body fulfils: early.
// run: threads=2
// expect: task_create:explicit=8 task_schedule:early_fulfill=8
#include <omp.h>

#include "../check.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
    {
#pragma omp atomic
      done++;
      omp_fulfill_event(event);
    }
  }
  return finish("task_detach_same", done == 8);
}
