// An exception that ends a function between two regions of the same thread.
// run: threads=2
// expect: parallel_begin=2 parallel_end=2
#include <stdexcept>

#include "../check.h"

static void region_then_throw(int &threads) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  throw std::logic_error("after the region");
}

int main() {
  int threads = 0;
  for (int i = 0; i < 2; i++) {
    try {
      region_then_throw(threads);
    } catch (const std::logic_error &) {
    }
  }
  return finish("exception_around", threads == 4);
}
