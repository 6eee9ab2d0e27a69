// run: threads=2
// One rank of many: rounds of uneven loops, tasks, a critical section and serial work, with pauses between them. How many
// rounds, and how uneven; a large number of rounds makes a large recording.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void work(int turns) {
  volatile double sum = 0;
  for (int turn = 0; turn < turns; turn++) sum = sum + turn * 0.5;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 100;
  int uneven = count > 2 ? atoi(arguments[2]) : 1;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int part = 0; part < 8; part++) work(200 * (part / 4 * uneven + 1));
#pragma omp critical
      work(100);
#pragma omp single
      for (int task = 0; task < 4; task++) {
#pragma omp task
        work(100 * (task + 1));
      }
    }
#pragma omp parallel for schedule(dynamic)
    for (int part = 0; part < 8; part++) work(200 * (part % 3 + 1));
    work(500 * uneven);
    if (rounds < 10000 && round % 10 == 9) usleep(30000);
  }
  puts("ok rank");
}
