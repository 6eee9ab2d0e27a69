/* Merge sort: four tasks on the quarters of a part, two on the merges of halves, then the last
 * merge, down to parts that are sorted by insertion. The argument is the number of elements. */
#include <string.h>
#include "load.h"

enum { SMALL = 32 };

static void insertion(unsigned *from, long length)
{
    for (long i = 1; i < length; i++) {
        unsigned value = from[i];
        long j = i;
        for (; j > 0 && from[j - 1] > value; j--)
            from[j] = from[j - 1];
        from[j] = value;
    }
}

static void merge(const unsigned *one, long ones, const unsigned *other, long others, unsigned *to)
{
    while (ones && others) {
        if (*one <= *other)
            *to++ = *one++, ones--;
        else
            *to++ = *other++, others--;
    }
    memcpy(to, one, (size_t)ones * sizeof *to);
    memcpy(to + ones, other, (size_t)others * sizeof *to);
}

static void sort(unsigned *from, unsigned *space, long length)
{
    if (length <= SMALL) {
        insertion(from, length);
        return;
    }
    long quarter = length / 4, half = 2 * quarter, rest = length - 3 * quarter;
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
        sort(from + i * quarter, space + i * quarter, i < 3 ? quarter : rest);
#pragma omp taskwait
#pragma omp task
    merge(from, quarter, from + quarter, quarter, space);
#pragma omp task
    merge(from + half, quarter, from + half + quarter, rest, space + half);
#pragma omp taskwait
    merge(space, half, space + half, length - half, from);
}

static void body(long iterations)
{
    size_t bytes = (size_t)iterations * sizeof(unsigned);
    unsigned *numbers = malloc(bytes), *space = malloc(bytes), seed = 1;
    if (!numbers || !space)
        abort();
    for (long i = 0; i < iterations; i++)
        numbers[i] = seed = seed * 1664525u + 1013904223u;
#pragma omp parallel
#pragma omp single
    sort(numbers, space, iterations);
    for (long i = 1; i < iterations; i++)
        if (numbers[i - 1] > numbers[i])
            abort();
    free(numbers);
    free(space);
}
