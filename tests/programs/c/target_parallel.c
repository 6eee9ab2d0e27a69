// Kernels on the host as a device that are regions or leagues as a whole, one of them deferred: clang has them jump
// into the runtime, so that nothing but the target construct says where they stand.
// run: threads=2 env=OMP_TARGET_OFFLOAD=mandatory
// build: offload
// needs: offload
// expect: device_load>=1 target_emi:target.begin=3 target_submit_emi.begin=3
#include "../check.h"

// Functions of their own, so that the compiler does not mix their lines.
__attribute__((noinline)) static void fill(int *a, int n) {
#pragma omp target parallel for map(from : a[:n])
  for (int i = 0; i < n; i++) a[i] = i;
}

__attribute__((noinline)) static void fill_later(int *a, int n) {
#pragma omp target parallel for map(from : a[:n]) nowait
  for (int i = 0; i < n; i++) a[i] = i;
#pragma omp taskwait
}

__attribute__((noinline)) static void fill_in_teams(int *a, int n) {
#pragma omp target teams distribute map(from : a[:n])
  for (int i = 0; i < n; i++) a[i] = i;
}

int main(void) {
  int a[64], b[64], c[64];
  fill(a, 64);
  fill_later(b, 64);
  fill_in_teams(c, 64);
  return finish("target_parallel", a[63] == 63 && b[63] == 63 && c[63] == 63);
}
