// The program is replaced by another that has no OpenMP.
// run: threads=2
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
#pragma omp parallel
  {
  }
  execl("/bin/echo", "echo", "ok execs", (char *)NULL);
  return 1;
}
