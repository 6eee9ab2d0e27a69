// OpenMP is linked in and asked a question, but there is no region.
// run: threads=2
// expect: parallel_begin=0 initialize=1 finalize=1
#include <omp.h>

#include "../check.h"

int main(void) { return finish("serial", omp_get_max_threads() == 2); }
