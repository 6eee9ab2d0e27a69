// omp_control_tool with the standard's commands and two of the tool's own, inside and outside.
// run: threads=2
// expect: control_tool=8 control_tool:1=1 control_tool:2=1 control_tool:3=3 control_tool:4=1
#include <omp.h>

#include "../check.h"

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    omp_control_tool(omp_control_tool_flush, 0, NULL);
    threads++;
  }
  printf("pause gave %d\n", omp_control_tool(omp_control_tool_pause, 0, NULL));
  omp_control_tool(omp_control_tool_start, 0, NULL);
  printf("64 gave %d\n", omp_control_tool((omp_control_tool_t)64, 1, NULL));
  omp_control_tool((omp_control_tool_t)99, 2, NULL);
  omp_control_tool(omp_control_tool_flush, 0, NULL);
  omp_control_tool(omp_control_tool_end, 0, NULL);
  return finish("control_tool", threads == 2);
}
