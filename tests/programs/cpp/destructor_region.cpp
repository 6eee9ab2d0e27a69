// A region inside a static object's destructor, after main has returned.
// run: threads=2
// expect: parallel_begin=2 parallel_end=2
#include "../check.h"

static int region() {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}

struct AtEnd {
  ~AtEnd() { finish("destructor_region", region() == 2); }
};
static AtEnd at_end;

int main() { return region() != 2; }
