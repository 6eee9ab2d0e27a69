#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void step(double *to, const double *from, long n) {
#pragma omp target teams distribute parallel for
  for (long i = 1; i < n - 1; i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}
int main(int c, char **v) {
  long n = 1 << 24; int rounds = c > 1 ? atoi(v[1]) : 20, empty = c > 2 ? atoi(v[2]) : 0;
  double *a = malloc(n * 8), *b = malloc(n * 8);
  for (long i = 0; i < n; i++) a[i] = i % 97, b[i] = 0;
  int on_host = -1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  double t = now();
#pragma omp target data map(tofrom : a[0 : n]) map(to : b[0 : n])
  {
    for (int r = 0; r < rounds; r++) { step(b, a, n); step(a, b, n); }
#pragma omp target update from(a[0 : 1024])
  }
  double e = now(), k = 0;
  for (int i = 0; i < empty; i++) {
#pragma omp target
    { }
  }
  k = now() - e;
  printf("on_host %d devices %d rounds %d kernels %d region_s %.6f empty %d empty_us %.3f sum %g\n", on_host, omp_get_num_devices(), rounds, 1 + 2 * rounds + empty, e - t, empty, empty ? k / empty * 1e6 : 0, a[5]);
  return 0;
}
