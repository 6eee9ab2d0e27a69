/* The shape of BOTS nqueens: a task for every queen that fits. CURED: only for the first three rows. */
#include <stdio.h>

enum { QUEENS = 11 };
#ifdef CURED
enum { ROWS = 3 };
#else
enum { ROWS = QUEENS };
#endif

typedef struct {
  char column[QUEENS];
} board;

static int fits(const board *board, int row) {
  for (int other = 0; other < row; other++) {
    int apart = board->column[other] - board->column[row];
    if (apart == 0 || apart == row - other || apart == other - row) return 0;
  }
  return 1;
}

static void place(board board, int row, long *found) {
  if (row == QUEENS) {
    *found = 1;
    return;
  }
  long each[QUEENS] = {0};
  for (int column = 0; column < QUEENS; column++) {
    board.column[row] = (char)column;
    if (!fits(&board, row)) continue;
    long *own = &each[column];
    if (row < ROWS) {
#pragma omp task firstprivate(board, own)
      place(board, row + 1, own);
    } else {
      place(board, row + 1, own);
    }
  }
#pragma omp taskwait
  *found = 0;
  for (int column = 0; column < QUEENS; column++) *found += each[column];
}

int main(void) {
  long found = 0;
#pragma omp parallel
#pragma omp single
  place((board){{0}}, 0, &found);
  printf("%ld\n", found);
  return found != 2680;
}
