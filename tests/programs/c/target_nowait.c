// Asynchronous targets: the hidden helper threads run them as tasks.
// run: threads=2 env=OMP_TARGET_OFFLOAD=mandatory
// build: offload
// needs: offload
// expect: target_submit_emi.begin=3 device_initialize>=1
#include "../check.h"

int main(void) {
  int a[3] = {0};
  for (int i = 0; i < 3; i++) {
#pragma omp target nowait map(tofrom : a[i]) depend(out : a[i])
    a[i] = i + 1;
  }
#pragma omp taskwait
  return finish("target_nowait", a[0] == 1 && a[1] == 2 && a[2] == 3);
}
