// More events than fit into thirty-two windows: loops, locks and tasks in tasks, round after round. A thread that yields lets all
// other programs have its core first: beside twelve busy ones that took minutes.
// run: threads=2 timeout=300 env=KMP_USE_YIELD=0
#include <omp.h>

static omp_lock_t lock;
static volatile int sum;

static void tree(int depth) {
  if (depth == 0)
    return;
  for (int child = 0; child < 3; child++) {
#pragma omp task firstprivate(depth)
    tree(depth - 1);
  }
#pragma omp taskwait
}

int main(void) {
  omp_init_lock(&lock);
  for (int round = 0; round < 120; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 4)
      for (int i = 0; i < 400; i++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
      }
#pragma omp single
      tree(7);
    }
  }
  omp_destroy_lock(&lock);
  return sum != 48000;
}
