/* A multi-zone solver: the zones of a step are shared out over an outer region; each zone is relaxed
 * in an inner region of its own, then neighbours exchange their borders. The argument is the number
 * of steps. */
#include "load.h"

enum { ZONES = 8, SIDE = 34, SWEEPS = 2 };

static double zones[ZONES][2][SIDE][SIDE];

static void relax(double (*old)[SIDE], double (*new)[SIDE])
{
#pragma omp for schedule(static)
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
}

static void solve(int zone)
{
#pragma omp parallel num_threads(2)
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        relax(zones[zone][sweep % 2], zones[zone][1 - sweep % 2]);
}

static void exchange(int zone)
{
    int next = (zone + 1) % ZONES;
    for (int i = 0; i < SIDE; i++) {
        zones[next][0][i][0] = zones[zone][0][i][SIDE - 2];
        zones[zone][0][i][SIDE - 1] = zones[next][0][i][1];
    }
}

static void body(long iterations)
{
    omp_set_max_active_levels(2);
    for (int i = 0; i < SIDE; i++)
        zones[0][0][i][0] = zones[0][1][i][0] = 100;
#pragma omp parallel
    for (long step = 0; step < iterations; step++) {
#pragma omp for schedule(dynamic)
        for (int zone = 0; zone < ZONES; zone++)
            solve(zone);
#pragma omp for schedule(static)
        for (int zone = 0; zone < ZONES; zone++)
            exchange(zone);
    }
}
