// Data that lives on the device: target data, enter and exit data, update, and the memory routines.
// run: threads=2 env=OMP_TARGET_OFFLOAD=mandatory
// build: offload
// needs: offload
// expect: target_emi:enter_data.begin=2 target_emi:exit_data.begin=2 target_emi:update.begin=2
#include <omp.h>

#include "../check.h"

int main(void) {
  int a[16] = {0}, b[16] = {0}, copy[16] = {0};
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < 16; i++) a[i]++;
#pragma omp target update from(a)
    a[0] = 10;
#pragma omp target update to(a)
  }
#pragma omp target enter data map(to : b)
#pragma omp target map(b)
  for (int i = 0; i < 16; i++) b[i] = i;
#pragma omp target exit data map(from : b)

  int device = omp_get_default_device(), host = omp_get_initial_device();
  void *memory = omp_target_alloc(sizeof b, device);
  omp_target_memcpy(memory, b, sizeof b, 0, 0, device, host);
  omp_target_memcpy(copy, memory, sizeof b, 0, 0, host, device);
  omp_target_free(memory, device);
  return finish("target_data", a[0] == 10 && a[1] == 1 && b[15] == 15 && copy[15] == 15);
}
