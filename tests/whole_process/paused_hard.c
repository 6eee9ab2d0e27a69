// A region, a hard pause, a sleep, another region, and more of the program after it.
// run: threads=2
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

static void region(void) {
#pragma omp parallel
  usleep(60000);
}

int main(void) {
  region();
  omp_pause_resource_all(omp_pause_hard);
  usleep(60000);
  region();
  usleep(60000);
  return finish("paused_hard", 1);
}
