// The clauses of parallel that decide on the team: if, num_threads, proc_bind.
// run: threads=4
// expect: parallel_begin=6 parallel_end=6 implicit_task:implicit.begin=18 implicit_task:implicit.end=18
#include "../check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel if (0) reduction(+ : threads)
  threads++;
#pragma omp parallel if (1) reduction(+ : threads)
  threads++;
#pragma omp parallel num_threads(1) reduction(+ : threads)
  threads++;
#pragma omp parallel num_threads(3) proc_bind(close) reduction(+ : threads)
  threads++;
#pragma omp parallel num_threads(4) proc_bind(spread) default(none) shared(threads)
  {
#pragma omp atomic
    threads++;
  }
#pragma omp parallel num_threads(5) proc_bind(primary) reduction(+ : threads)
  threads++;
  return finish("parallel_forms", threads == 18);
}
