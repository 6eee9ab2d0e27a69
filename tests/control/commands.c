// Every command of omp_control_tool with a region after each; prints the answers.
// run: threads=2
#include <omp.h>

#include "../programs/check.h"

__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(2)
  {
  }
}

static void give(int command, int modifier) {
  printf("%d gave %d\n", command, omp_control_tool((omp_control_tool_t)command, modifier, NULL));
  region();
}

int main(void) {
  region();
  const int commands[] = {2, 2, 1, 1, 3, 64, 99, 5, 0, -1, 2, 3, 1, 4, 4, 1, 2, 3, 64};
  for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
    give(commands[i], 100 + (int)i);
  return finish("commands", 1);
}
