/* Traces one phase of a program. The run begins paused (OMPTTRACE_START=off); the program starts the
 * recording before the phase and pauses it behind. Two ways, of the same effect:
 *
 *   omp_control_tool  OpenMP's own, from OpenMP 5.0 on
 *   ompt_control      for runtimes without, by a header that needs no library
 *
 * Without a tool both do nothing.
 */
#include <omp.h>
#include <stdio.h>

#include "ompttrace.h"

enum { SIZE = 200000 };

static double values[SIZE];

static void sweep(double factor)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++)
        values[i] = values[i] * factor + 1.0 / (i + 1);
}

int main(void)
{
    for (int i = 0; i < 50; i++) /* warming up: not recorded */
        sweep(0.5);

    omp_control_tool(omp_control_tool_start, 0, NULL);
    for (int i = 0; i < 3; i++) /* recorded */
        sweep(0.9);
    omp_control_tool(omp_control_tool_pause, 0, NULL);

    for (int i = 0; i < 50; i++) /* not recorded */
        sweep(0.5);

    ompt_control(ompttrace_start, 0);
    sweep(0.1); /* recorded */
    ompt_control(ompttrace_pause, 0);

    printf("%.6f\n", values[SIZE - 1]);
    return 0;
}
