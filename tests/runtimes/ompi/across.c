// What the runtime calls from another file of its own, as OMPi's does: such calls go through whatever stands in front.
#include "inside.h"

// How the host runs a kernel.
void ort_execute_kernel_on_host(outlined kernel, void *variables) {
  counted(COUNT_kernels);
  kernel(variables);
}

// A league of one team of one thread, whatever is asked for.
void ort_start_teams(outlined function, void *shared, int teams, int limit) {
  (void)teams, (void)limit;
  counted(COUNT_leagues);
  in_league = 1;
  ort_execute_serial(function, shared);
  in_league = 0;
}
