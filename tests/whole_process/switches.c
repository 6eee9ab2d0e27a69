// Recording is switched on after a while, and off again a while before the end.
// run: threads=2
#include <omp.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
#pragma omp parallel
  {
  }
  usleep(60000);
  omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp parallel
  {
  }
  omp_control_tool(omp_control_tool_pause, 0, NULL);
  usleep(60000);
  return finish("switches", 1);
}
