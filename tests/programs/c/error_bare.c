// error at execution time without a message. libomp 16 and 19 pass strlen(NULL) to a tool that has an
// `error` callback, and crash: a tool must not register it there.
// run: threads=1
// build: flags=-fopenmp-version=51
// needs: libomp>=16 intel>=2024
#include "../check.h"

int main(void) {
#pragma omp error at(execution) severity(warning)
  return finish("error_bare", 1);
}
