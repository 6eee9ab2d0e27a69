// A library that is closed and opened again while its code is sampled, with a region of its own.
__attribute__((noinline)) static double turn(double x, int n) {
  for (int i = 0; i < n; i++) x = x * 1.0000001 + 0.5;
  return x;
}

double loaded(double x, int n) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += turn(x, n);
  return sum;
}
