// Started without stderr: the first file that it opens gets number 2, and nobody else may write there.
// run: threads=2
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../programs/check.h"

int main(void) {
  int file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600), sum = 0;
  write(file, "DATA", 4);
#pragma omp parallel num_threads(2)
#pragma omp atomic
  sum++;
  return finish("closed_stderr", file == 2 && sum == 2);
}
