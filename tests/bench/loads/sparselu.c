/* LU decomposition of a matrix most of whose blocks are empty: a task for each block that is touched,
 * three kinds of them in turn. The argument is the number of blocks in a row. */
#include "load.h"

enum { SIDE = 12, MOST = 128 };

typedef float block[SIDE][SIDE];
static block *matrix[MOST][MOST];

static block *make(float value)
{
    block *made = malloc(sizeof *made);
    if (!made)
        abort();
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            (*made)[i][j] = i == j ? 4 + value : value / (1 + i + j);
    return made;
}

static void diagonal(block *a)
{
    for (int k = 0; k < SIDE; k++)
        for (int i = k + 1; i < SIDE; i++) {
            (*a)[i][k] /= (*a)[k][k];
            for (int j = k + 1; j < SIDE; j++)
                (*a)[i][j] -= (*a)[i][k] * (*a)[k][j];
        }
}

static void forward(block *diag, block *row)
{
    for (int k = 0; k < SIDE; k++)
        for (int i = k + 1; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                (*row)[i][j] -= (*diag)[i][k] * (*row)[k][j];
}

static void backward(block *diag, block *column)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            (*column)[i][k] /= (*diag)[k][k];
            for (int j = k + 1; j < SIDE; j++)
                (*column)[i][j] -= (*column)[i][k] * (*diag)[k][j];
        }
}

static void inner(block *row, block *column, block *target)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                (*target)[i][j] -= (*row)[i][k] * (*column)[k][j];
}

static void step(int k, int blocks)
{
    diagonal(matrix[k][k]);
    for (int j = k + 1; j < blocks; j++) {
        if (matrix[k][j])
#pragma omp task untied firstprivate(j)
            forward(matrix[k][k], matrix[k][j]);
        if (matrix[j][k])
#pragma omp task untied firstprivate(j)
            backward(matrix[k][k], matrix[j][k]);
    }
#pragma omp taskwait
    for (int i = k + 1; i < blocks; i++)
        for (int j = k + 1; matrix[i][k] && j < blocks; j++)
            if (matrix[k][j])
#pragma omp task untied firstprivate(i, j)
            {
                if (!matrix[i][j])
                    matrix[i][j] = make(0);
                inner(matrix[i][k], matrix[k][j], matrix[i][j]);
            }
#pragma omp taskwait
}

static void body(long iterations)
{
    int blocks = iterations > MOST ? MOST : (int)iterations;
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < blocks; j++)
            matrix[i][j] = i == j || (i + 2 * j) % 5 == 0 ? make(1) : NULL;
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < blocks; k++)
        step(k, blocks);
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < blocks; j++)
            free(matrix[i][j]);
}
