/* Blocks of a table, each of which needs its upper and its left neighbour. With the whole row as
 * dependence one task waits for the other. Cured: each block names the two that it needs, and a
 * diagonal of blocks is worked at at once (a wavefront).
 */
#include <omp.h>
#include <stdio.h>

enum { BLOCKS = 16, SIZE = 96, WIDTH = BLOCKS * SIZE };

static double table[WIDTH + 1][WIDTH + 1];
static char done[BLOCKS + 1][BLOCKS + 1];

static void block(int row, int column)
{
    for (int y = 1 + row * SIZE; y <= (row + 1) * SIZE; y++)
        for (int x = 1 + column * SIZE; x <= (column + 1) * SIZE; x++)
            table[y][x] = 1 + (table[y - 1][x] + table[y][x - 1]) / (2.0 + x % 3);
}

int main(void)
{
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < 10; step++)
        for (int row = 0; row < BLOCKS; row++)
            for (int column = 0; column < BLOCKS; column++) {
#ifdef CURED
#pragma omp task depend(in : done[row][column + 1], done[row + 1][column]) \
                 depend(inout : done[row + 1][column + 1])
#else
#pragma omp task depend(inout : done)
#endif
                block(row, column);
            }
    printf("%.6f, %.0f ms\n", table[WIDTH][WIDTH], 1e3 * (omp_get_wtime() - begin));
    return 0;
}
