// critical: unnamed, named, and named with a hint.
// run: threads=4
// expect: mutex_acquire:critical=600 mutex_acquired:critical=600 mutex_released:critical=600
#include <omp.h>

#include "../check.h"

int main(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel
  for (int i = 0; i < 50; i++) {
#pragma omp critical
    a++;
#pragma omp critical(update)
    b++;
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    c++;
  }
  return finish("critical", a == 200 && b == 200 && c == 200);
}
