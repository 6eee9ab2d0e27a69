// Iterations of two loops, twice: each waits for the one before in either, and lets those after it go on.
// run: threads=4
// expect: dependences=102
#include "../programs/check.h"

enum { N = 5, M = 4 };

int main(void) {
  static long path[N + 1][M + 1];
  int good = 1;
#pragma omp parallel
  for (int round = 0; round < 2; round++) {
#pragma omp for ordered(2) schedule(static, 1)
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= M; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        path[i][j] = i == 1 || j == 1 ? 1 : path[i - 1][j] + path[i][j - 1];
#pragma omp ordered depend(source)
      }
#pragma omp critical
    good = good && path[N][M] == 35;
#pragma omp barrier
  }
  return finish("wavefront", good);
}
