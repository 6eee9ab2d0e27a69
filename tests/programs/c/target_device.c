// target on a real device, the host's own plugin: kernels, maps and their data operations.
// run: threads=2 env=OMP_TARGET_OFFLOAD=mandatory
// build: offload
// needs: offload
// expect: device_initialize>=1 target_emi:target.begin=2 target_emi:target.end=2 target_submit_emi.begin=2
#include <omp.h>

#include "../check.h"

int main(void) {
  int initial = 1, a[64];
#pragma omp target map(from : initial)
  initial = omp_is_initial_device();
#pragma omp target teams distribute parallel for map(from : a)
  for (int i = 0; i < 64; i++) a[i] = i * i;
  return finish("target_device", !initial && a[63] == 3969);
}
