// Three threads want a lock briefly; the fourth holds it for long, at another line.
// run: threads=4
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  omp_lock_t lock;
  int held = 0;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock); /* long */
      held++;
#pragma omp flush
      usleep(100000);
      omp_unset_lock(&lock);
    } else {
      usleep(20000);
      omp_set_lock(&lock); /* short */
      held++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  return finish("holder", held == 4);
}
