/* A Lagrangian hydrodynamics mini-app in one dimension: each time step is a dozen short parallel
 * loops over nodes and cells (forces, motion, strain, viscosity, pressure, time step), each a region
 * of its own, as such codes have them. The argument is the number of steps. */
#include <math.h>
#include "load.h"

enum { CELLS = 2000, NODES = CELLS + 1 };

static double at[NODES], speed[NODES], force[NODES], mass[NODES];
static double volume[CELLS], density[CELLS], energy[CELLS], pressure[CELLS], viscous[CELLS];
static double strain[CELLS], sound[CELLS], cell_mass[CELLS];

#define EACH _Pragma("omp parallel for schedule(static)")

static void start(void)
{
    for (int i = 0; i < NODES; i++)
        at[i] = (double)i / CELLS, speed[i] = 0, mass[i] = 1.0 / CELLS;
    for (int i = 0; i < CELLS; i++) {
        volume[i] = cell_mass[i] = 1.0 / CELLS;
        density[i] = 1;
        energy[i] = i == 0 ? 100 : 1;
    }
}

static void state(void)
{
    EACH for (int i = 0; i < CELLS; i++) pressure[i] = 0.4 * density[i] * energy[i];
    EACH for (int i = 0; i < CELLS; i++) sound[i] = sqrt(1.4 * pressure[i] / density[i] + 1e-12);
}

static double time_step(void)
{
    double smallest = 1e-4;
#pragma omp parallel for schedule(static) reduction(min : smallest)
    for (int i = 0; i < CELLS; i++)
        smallest = fmin(smallest, 0.3 * volume[i] / (sound[i] + fabs(strain[i]) + 1e-12));
    return smallest;
}

static void move(double dt)
{
    EACH for (int i = 1; i < NODES - 1; i++)
        force[i] = pressure[i - 1] + viscous[i - 1] - pressure[i] - viscous[i];
    EACH for (int i = 1; i < NODES - 1; i++) speed[i] += dt * force[i] / mass[i];
    EACH for (int i = 0; i < NODES; i++) at[i] += dt * speed[i];
}

static void deform(double dt)
{
    EACH for (int i = 0; i < CELLS; i++) strain[i] = speed[i + 1] - speed[i];
    EACH for (int i = 0; i < CELLS; i++) {
        double squeezed = fmin(strain[i], 0);
        viscous[i] = density[i] * (2 * squeezed * squeezed - 0.1 * sound[i] * squeezed);
    }
    EACH for (int i = 0; i < CELLS; i++) volume[i] = fmax(at[i + 1] - at[i], 1e-9);
    EACH for (int i = 0; i < CELLS; i++)
        energy[i] -= dt * (pressure[i] + viscous[i]) * strain[i] / cell_mass[i];
    EACH for (int i = 0; i < CELLS; i++) energy[i] = fmax(energy[i], 1e-9);
    EACH for (int i = 0; i < CELLS; i++) density[i] = cell_mass[i] / volume[i];
}

static void body(long iterations)
{
    start();
    for (long step = 0; step < iterations; step++) {
        state();
        double dt = time_step();
        move(dt);
        deform(dt);
    }
}
