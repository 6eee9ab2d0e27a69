// The loop construct, bound to a parallel region and to a league.
// run: threads=4 env=KMP_TEAMS_THREAD_LIMIT=16
// expect: parallel_begin>=2
#include "../check.h"

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp loop bind(parallel)
  for (int i = 0; i < 40; i++) {
#pragma omp atomic
    sum++;
  }
#pragma omp teams loop num_teams(2) thread_limit(2) reduction(+ : sum)
  for (int i = 0; i < 40; i++) sum++;
  return finish("loop", sum == 80);
}
