// Closes every descriptor it does not know, as daemons do, and opens a file that gets a number the
// tool may have had: nobody else may write into it.
// run: threads=4
// needs: libomp>=19 intel>=2024
// expect: parallel_begin=2 parallel_end=2
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
  char name[] = "/tmp/ompttrace-own-XXXXXX";
  long work = 0;
#pragma omp parallel num_threads(1)
  work++;
  closefrom(3);
  int file = mkstemp(name);
  int wrote = write(file, "hello", 5) == 5;
#pragma omp parallel
#pragma omp critical
  work++;
  struct stat status;
  int whole = fstat(file, &status) == 0 && status.st_size == 5;
  unlink(name);
  return finish("closes_descriptors", wrote && whole && work == 5);
}
