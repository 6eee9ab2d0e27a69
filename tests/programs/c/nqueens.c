// The queens problem by untied tasks that wait for their children.
// run: threads=4
// expect: task_create:explicit=2056
#include <string.h>

#include "../check.h"

enum { SIZE = 8 };
static int solutions;

static int safe(const char *row_of, int column, int row) {
  for (int c = 0; c < column; c++) {
    int distance = column - c;
    if (row_of[c] == row || row_of[c] == row - distance || row_of[c] == row + distance) return 0;
  }
  return 1;
}

static void place(const char *row_of, int column) {
  if (column == SIZE) {
#pragma omp atomic
    solutions++;
    return;
  }
  for (int row = 0; row < SIZE; row++) {
    if (!safe(row_of, column, row)) continue;
#pragma omp task untied firstprivate(row)
    {
      char next[SIZE];
      memcpy(next, row_of, column);
      next[column] = (char)row;
      place(next, column + 1);
    }
  }
#pragma omp taskwait
}

int main(void) {
  char none[SIZE] = {0};
#pragma omp parallel
#pragma omp single
  place(none, 0);
  return finish("nqueens", solutions == 92);
}
