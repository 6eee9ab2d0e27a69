// A library that brings an OpenMP runtime along.
int iterations(int all) {
  int done = 0;
#pragma omp parallel for num_threads(3) reduction(+ : done) schedule(dynamic, 1)
  for (int i = 0; i < all; i++) done++;
  return done;
}
