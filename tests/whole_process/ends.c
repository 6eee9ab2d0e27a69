// Serial work around a parallel region, and an end of the wanted kind.
// run: threads=2 args=return
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"

enum { SERIAL_US = 60000 };

// exit() of one thread, while the other one is in the region for longer.
static void exit_in_region(int number) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == number) {
      usleep(SERIAL_US);
      exit(3);
    }
    usleep(100 * SERIAL_US);
  }
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "return";
  usleep(SERIAL_US);
#pragma omp parallel num_threads(2)
  usleep(1000);
  if (strcmp(how, "primary") == 0 || strcmp(how, "worker") == 0)
    exit_in_region(strcmp(how, "worker") == 0);
  usleep(SERIAL_US);
  if (strcmp(how, "_exit") == 0)
    _exit(3);
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "kill") == 0)
    raise(SIGKILL);
  if (strcmp(how, "exec") == 0)
    execl("/proc/self/exe", words[0], "return", (char *)NULL);
  return finish("ends", 1);
}
