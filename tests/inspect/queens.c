// `queens FILE SECONDS`: n queens by few tasks of much work, again and again until the file is there; every count is checked.
// run: threads=4 exit=0
#include <stdlib.h>
#include <unistd.h>

#include "../programs/check.h"

enum { SIZE = 13, SOLUTIONS = 73712, TASKS_ABOVE = 2 };
static int solutions;

static int safe(const char *row_of, int column, int row) {
  for (int c = 0; c < column; c++) {
    int distance = column - c;
    if (row_of[c] == row || row_of[c] == row - distance || row_of[c] == row + distance) return 0;
  }
  return 1;
}

static int count(char *row_of, int column) {
  if (column == SIZE) return 1;
  int found = 0;
  for (int row = 0; row < SIZE; row++) {
    if (!safe(row_of, column, row)) continue;
    row_of[column] = (char)row;
    found += count(row_of, column + 1);
  }
  return found;
}

static void place(const char *row_of, int column) {
  for (int row = 0; row < SIZE; row++) {
    if (!safe(row_of, column, row)) continue;
#pragma omp task firstprivate(row)
    {
      char next[SIZE];
      for (int c = 0; c < column; c++) next[c] = row_of[c];
      next[column] = (char)row;
      if (column + 1 < TASKS_ABOVE) {
        place(next, column + 1);
      } else {
        int found = count(next, column + 1);
#pragma omp atomic
        solutions += found;
      }
    }
  }
#pragma omp taskwait
}

int main(int arguments, char **argument) {
  char none[SIZE] = {0};
  int right = arguments == 3;
  // A test that forgets it shall fail and not wait.
  alarm(right ? (unsigned)atoi(argument[2]) : 1);
  while (right && access(argument[1], F_OK) != 0) {
    solutions = 0;
#pragma omp parallel
#pragma omp single
    place(none, 0);
    right = solutions == SOLUTIONS;
  }
  return finish("queens", right);
}
