/* A small heat simulation with something of everything a trace can show:
 *
 *   init       parallel region with a static loop
 *   step       the stencil: static and balanced, then dynamic and uneven
 *   refine     a tree of tasks with taskwait, made by one thread
 *   record     a named critical section that several threads want at once
 *   quadrants  2 x 2 nested parallel regions
 *
 * The unevenness is deliberate: look for the threads that wait at the
 * barrier of `uneven_step`.
 *
 *   clang-19 -O2 -g -fopenmp heat.c -o heat -lm && ./heat [steps]
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1024, STEPS = 120, DEPTH = 7, SAMPLES = 40 };

static double now[SIZE][SIZE], next[SIZE][SIZE];
static double hottest;

static void init(void)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            now[y][x] = next[y][x] = (x == 0 || y == 0) ? 100.0 : 0.0;
}

static void relax_row(int y)
{
    for (int x = 1; x < SIZE - 1; x++)
        next[y][x] = 0.25 * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]);
}

static void copy_back(void)
{
#pragma omp for schedule(static)
    for (int y = 1; y < SIZE - 1; y++)
        for (int x = 1; x < SIZE - 1; x++)
            now[y][x] = next[y][x];
}

static void even_step(void)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int y = 1; y < SIZE - 1; y++)
            relax_row(y);
        copy_back();
    }
}

/* Later rows cost more, so equal shares are unequal work. */
static void uneven_row(int y)
{
    int repeats = 1 + 16 * y / SIZE;
    for (int i = 0; i < repeats; i++)
        relax_row(y);
}

static void uneven_step(int step)
{
#pragma omp parallel
    {
        if (step % 2) {
#pragma omp for schedule(static)
            for (int y = 1; y < SIZE - 1; y++)
                uneven_row(y);
        } else {
#pragma omp for schedule(dynamic, 32)
            for (int y = 1; y < SIZE - 1; y++)
                uneven_row(y);
        }
        copy_back();
    }
}

/* The sum over a square, split into quarters until they are small. */
static double refine(int y, int x, int size, int depth)
{
    double parts[4] = {0};
    if (depth == 0) {
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                parts[0] += sqrt(now[y + i][x + j]);
        return parts[0];
    }
    int half = size / 2;
    for (int part = 0; part < 4; part++) {
#pragma omp task shared(parts) firstprivate(part)
        parts[part] = refine(y + half * (part / 2), x + half * (part % 2), half, depth - 1);
    }
#pragma omp taskwait
    return parts[0] + parts[1] + parts[2] + parts[3];
}

static double total(void)
{
    double sum = 0;
#pragma omp parallel
#pragma omp single
    sum = refine(0, 0, SIZE, DEPTH - 3);
    return sum;
}

static void record(void)
{
#pragma omp parallel for schedule(static)
    for (int sample = 0; sample < SAMPLES; sample++) {
        double here = 0;
        for (int x = 1; x < SIZE; x++)
            here = fmax(here, now[1 + sample * (SIZE - 2) / SAMPLES][x]);
#pragma omp critical(update_hottest)
        {
            for (int i = 0; i < 200; i++)
                hottest = fmax(hottest, here + 1e-9 * i);
        }
    }
}

/* An outer team of two, each team thread with an inner team of two. */
static void quadrants(double sums[4])
{
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            int inner = omp_get_thread_num(), half = SIZE / 2;
            double sum = 0;
            for (int y = 0; y < half; y++)
                for (int x = 0; x < half; x++)
                    sum += now[outer * half + y][inner * half + x];
            sums[2 * outer + inner] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : STEPS;
    double sums[4] = {0}, sum = 0;
    omp_set_max_active_levels(2);
    init();
    for (int step = 0; step < steps; step++) {
        even_step();
        uneven_step(step);
        if (step % 4 == 3) {
            sum = total();
            record();
            quadrants(sums);
        }
    }
    printf("hottest %.3f, sum of roots %.1f, quadrants %.0f %.0f %.0f %.0f\n", hottest, sum,
           sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
