// Thread 3 does all the work of a static loop; the loop before it is even.
// run: threads=4
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  int done = 0;
#pragma omp parallel reduction(+ : done)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) done++;
#pragma omp for schedule(static) /* uneven */
    for (int i = 0; i < 16; i++) usleep(i < 12 ? 0 : 20000);
  }
  return finish("uneven", done == 4);
}
