// Ninety small tasks and ten that sleep for two milliseconds, none of which its creator runs.
// run: threads=4
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

static int done;

static void count(void) { __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE); }

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 90; i++) {
#pragma omp task
      count();  // small
    }
    for (int i = 0; i < 10; i++) {
#pragma omp task
      {
        usleep(2000);  // large
        count();
      }
    }
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < 100) usleep(100);
  }
  return finish("grains", done == 100);
}
