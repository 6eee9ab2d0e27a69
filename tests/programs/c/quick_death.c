// _exit in the middle of the serial part after a region: nothing at all is reported to the tool.
// run: threads=2 exit=4
// expect: parallel_begin=1 parallel_end=1 finalize=0
#include <unistd.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  {
  }
  finish("quick_death", 1);
  _exit(4);
}
