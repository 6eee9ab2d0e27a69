// distribute over a league, with a worksharing loop inside, composed and combined.
// run: threads=2 env=KMP_TEAMS_THREAD_LIMIT=16
// expect: parallel_begin:league=2 work:distribute.begin>=2
#include "../check.h"

int main(void) {
  int sum = 0;
#pragma omp teams num_teams(2) thread_limit(2) reduction(+ : sum)
  {
#pragma omp distribute
    for (int i = 0; i < 10; i++) {
      int inner = 0;
#pragma omp parallel for reduction(+ : inner) num_threads(2)
      for (int j = 0; j < 10; j++) inner++;
      sum += inner;
    }
  }
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum++;
  return finish("distribute", sum == 200);
}
