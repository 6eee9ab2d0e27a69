// A league on the host: three teams, a parallel region in each.
// run: threads=2 env=KMP_TEAMS_THREAD_LIMIT=16
// expect: parallel_begin:league=1 parallel_end:league=1
#include <omp.h>

#include "../check.h"

int main(void) {
  int teams = 0, threads = 0;
#pragma omp teams num_teams(3) thread_limit(2)
  {
#pragma omp atomic
    teams++;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      threads++;
    }
  }
  return finish("teams", teams == 3 && threads == 6);
}
