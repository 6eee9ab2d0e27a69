/* Heat on a small plate: in each step a loop over rows, the largest change as a reduction, and a
 * single that swaps the plates. The argument is the number of steps. */
#include <math.h>
#include "load.h"

enum { SIDE = 66 };

static double plates[2][SIDE][SIDE];
static volatile double last_change;

static double row(int from, int i)
{
    double most = 0;
    for (int j = 1; j < SIDE - 1; j++) {
        double(*old)[SIDE] = plates[from];
        double new = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
        most = fmax(most, fabs(new - old[i][j]));
        plates[1 - from][i][j] = new;
    }
    return most;
}

static void body(long iterations)
{
    int from = 0;
    double change = 0;
    for (int i = 0; i < SIDE; i++)
        plates[0][i][0] = plates[1][i][0] = 100;
#pragma omp parallel
    for (long step = 0; step < iterations; step++) {
#pragma omp for schedule(static) reduction(max : change)
        for (int i = 1; i < SIDE - 1; i++)
            change = fmax(change, row(from, i));
#pragma omp single
        {
            last_change = change;
            change = 0;
            from = 1 - from;
        }
    }
}
