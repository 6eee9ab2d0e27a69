// What decided how long it took is known: thread 3 in the first loop, the root alone, thread 1 in the
// second loop. Whoever is last sleeps after all others have come to the end of their share.
// run: threads=4
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

static int done;

static void share(int me, int last) {
  if (me != last) {
    __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < 3) usleep(100);
  usleep(50000);
}

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++) share(i, 3);
  }
  usleep(20000);
  done = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 4; i++) share(i, 1);
  }
  return finish("stages", done == 3);
}
