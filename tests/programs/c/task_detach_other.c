// Detached tasks whose event a later task fulfils, when the body is long over: late.
// run: threads=2
// expect: task_create:explicit=4 task_schedule:detach=1 task_schedule:late_fulfill=1
#include <omp.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  int body = 0, after = 0;
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) depend(out : body) shared(body)
    {
#pragma omp atomic write
      body = 1;
    }
#pragma omp task shared(body)
    {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read
        seen = body;
      }
      usleep(20000);
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : body) shared(after)
    after = 1;
#pragma omp task
    usleep(1000);
#pragma omp taskwait
  }
  return finish("task_detach_other", body && after);
}
