// error at execution time, as a warning with a message. Runtimes before LLVM 16 and Intel 2023.2 crash
// on it, with and without a tool.
// run: threads=1
// build: flags=-fopenmp-version=51
// needs: libomp>=16 intel>=2024
#include "../check.h"

int main(void) {
#pragma omp error at(execution) severity(warning) message("careful")
  return finish("error_warning", 1);
}
