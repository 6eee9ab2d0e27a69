// Thread 3 takes longer than the others in each of six executions of a loop, in the fifth by far, also on a busy machine.
// run: threads=4
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  int done = 0;
  for (int step = 0; step < 6; step++) {
#pragma omp parallel for schedule(static) reduction(+ : done)
    for (int i = 0; i < 4; i++) {
      usleep(i < 3 ? 0 : step == 4 ? 800000 : 10000);
      done++;
    }
  }
  return finish("costly", done == 24);
}
