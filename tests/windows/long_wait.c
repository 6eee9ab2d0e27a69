// A thread waits for a lock while others do most of what there is to do: most windows of the records begin in its wait.
// run: threads=3 timeout=60
#include <omp.h>
#include <unistd.h>

static omp_lock_t lock;
static volatile int sum, asks;

static void count(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp critical(sum)
    sum++;
  }
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    int thread = omp_get_thread_num();
    if (thread == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (thread == 1) {
      asks = 1;
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    } else {
      while (!asks)
        usleep(100);
      usleep(5000);
      count(1000);
    }
    if (thread == 0)
      omp_unset_lock(&lock);
#pragma omp barrier
    count(200);
  }
  omp_destroy_lock(&lock);
  return sum != 2600;
}
