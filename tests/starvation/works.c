// Two regions of counted critical sections, as many for each thread as the argument says; between
// them it does what AMID tells the shell.
// run: threads=3 args=2000 timeout=60
#include <stdlib.h>

#include "../programs/check.h"
#include "../programs/counted.h"

static void region(int times) {
#pragma omp parallel
  counted_times(times);
}

int main(int count, char **arguments) {
  const char *amid = getenv("AMID");
  int times = count > 1 ? atoi(arguments[1]) : 1;
  own_counts_open();
  region(times);
  int good = !amid || system(amid) == 0;
  region(times);
  return finish("works", good);
}
