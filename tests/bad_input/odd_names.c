// A function whose name speaks to terminals, pages and queries; its source gets such a path, too.
// run: threads=2
#include <stdio.h>

void odd(int *sum) __asm__("odd \"'`<b>&amp;\033[2J\n\377%s");

void odd(int *sum) {
#pragma omp parallel
#pragma omp critical
  ++*sum;
}

int main(void) {
  int sum = 0;
  odd(&sum);
  puts(sum > 0 ? "ok odd_names" : "wrong odd_names");
  return 0;
}
