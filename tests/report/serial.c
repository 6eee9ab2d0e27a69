// One thread works between two regions, while the others idle.
// run: threads=4
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  int members = 0;
#pragma omp parallel reduction(+ : members) /* before */
  members++;
  usleep(100000);
#pragma omp parallel reduction(+ : members) /* after */
  members++;
  return finish("serial", members == 8);
}
