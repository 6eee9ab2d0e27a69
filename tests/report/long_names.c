// A function with a name that is longer than a terminal is wide, and an ordered region whose turns are waited for.
// run: threads=4
#include <unistd.h>

#include "../programs/check.h"

static int a_function_whose_name_alone_is_longer_than_any_line_of_eighty_columns_has_room_for(void) {
  int sum = 0;
#pragma omp parallel /* region */
  {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 12; i++) {
#pragma omp ordered
      {
        usleep(2000);
        sum += i;
      }
    }
  }
  return sum;
}

int main(void) {
  return finish(
      "long_names",
      a_function_whose_name_alone_is_longer_than_any_line_of_eighty_columns_has_room_for() == 66);
}
