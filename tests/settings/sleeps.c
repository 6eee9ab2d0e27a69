// One region that lasts at least 60 ms by any clock.
// run: threads=2
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
#pragma omp parallel
  usleep(60000);
  return finish("sleeps", 1);
}
