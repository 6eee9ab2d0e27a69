// A doacross loop: each iteration waits for the one before (sink) and releases the next (source).
// run: threads=4
// expect: work.begin=4 dependences=39
#include "../check.h"

int main(void) {
  static int chain[21];
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i <= 20; i++) {
#pragma omp ordered depend(sink : i - 1)
    chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return finish("for_doacross", chain[20] == 20);
}
