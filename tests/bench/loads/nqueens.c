/* All ways to put so many queens on a board of that size: an untied task for every square of the next
 * queen, whether it is allowed or not, as task suites have it. The argument is the size. */
#include <string.h>
#include "load.h"

enum { LARGEST = 16 };

static int is_safe(int row, const signed char *column)
{
    for (int above = 0; above < row; above++) {
        int distance = column[row] - column[above];
        if (distance == 0 || distance == row - above || distance == above - row)
            return 0;
    }
    return 1;
}

static void place(int size, int row, const signed char *column, long *found)
{
    if (row == size) {
        *found = 1;
        return;
    }
    long below[LARGEST] = {0};
    for (int here = 0; here < size; here++) {
#pragma omp task untied firstprivate(here) shared(below)
        {
            signed char next[LARGEST];
            memcpy(next, column, (size_t)row);
            next[row] = (signed char)here;
            if (is_safe(row, next))
                place(size, row + 1, next, &below[here]);
        }
    }
#pragma omp taskwait
    *found = 0;
    for (int here = 0; here < size; here++)
        *found += below[here];
}

static void body(long iterations)
{
    static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712};
    signed char column[LARGEST];
    int size = iterations > 13 ? 13 : (int)iterations;
    long found = 0;
#pragma omp parallel
#pragma omp single
    place(size, 0, column, &found);
    if (found != solutions[size])
        abort();
}
