// Constructs for which code of GCC 12 and later has calls of its own: a scope with task reductions, teams
// inside of a target that the host runs, an error directive.
// run: threads=4
// build: compiler=gcc
#include "../programs/check.h"

int main(void) {
  int sum = 0, turns[6] = {0};
#pragma omp parallel
  {
#pragma omp scope reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum++;
    }
  }
#pragma omp target teams distribute num_teams(3) map(tofrom : turns)
  for (int i = 0; i < 6; i++) turns[i]++;
#pragma omp target map(tofrom : turns)
  turns[0]++;
#pragma omp error at(execution) severity(warning) message("careful: thirty letters and more")
  return finish("newer_entries", sum == 4 && turns[0] == 2 && turns[5] == 1);
}
