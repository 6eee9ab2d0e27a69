// Exceptions thrown and caught inside a region, in worksharing, critical regions and tasks.
// run: threads=4
// expect: parallel_begin=1 parallel_end=1 mutex_acquired:critical=40 mutex_released:critical=40
#include <stdexcept>

#include "../check.h"

int main() {
  int caught = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 40; i++) {
#pragma omp critical(count)
      {
        try {
          throw std::runtime_error("inside");
        } catch (const std::runtime_error &) {
          caught++;
        }
      }
    }
#pragma omp single
#pragma omp task shared(caught)
    {
      try {
        throw 1;
      } catch (int one) {
        caught += one;
      }
    }
  }
  return finish("exceptions", caught == 41);
}
