// target without a device: the host runs it itself.
// run: threads=2
#include <omp.h>

#include "../check.h"

int main(void) {
  int x = 1, a[8] = {0};
#pragma omp target map(tofrom : x)
  x += omp_is_initial_device() ? 1 : 10;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 8; i++) a[i] = i;
  }
#pragma omp target nowait depend(inout : x) map(tofrom : x)
  x++;
#pragma omp taskwait
  return finish("target_fallback", x == 3 && a[7] == 7);
}
