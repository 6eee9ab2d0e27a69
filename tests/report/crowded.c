// Threads with equal work between barriers, measured in CPU time, so that it takes longer where they lack cores.
// Prints what the kernel accounts to all of them: time on cores, and waiting for one, in nanoseconds.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void work(long nanoseconds) {
  long end = cpu() + nanoseconds;
  while (cpu() < end) {
  }
}

static void kernel(long *run, long *delay) {
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks && (task = readdir(tasks));) {
    char name[300];
    long ran = 0, waited = 0;
    snprintf(name, sizeof name, "/proc/self/task/%s/schedstat", task->d_name);
    FILE *file = task->d_name[0] == '.' ? NULL : fopen(name, "r");
    if (file && fscanf(file, "%ld %ld", &ran, &waited) == 2) {
      *run += ran;
      *delay += waited;
    }
    if (file) fclose(file);
  }
  if (tasks) closedir(tasks);
}

int main(void) {
  for (int region = 0; region < 10; region++) {
#pragma omp parallel
    {
      work(10 * 1000 * 1000);
#pragma omp barrier
      work(10 * 1000 * 1000);
    }
  }
  long run = 0, delay = 0;
  kernel(&run, &delay);
  printf("%ld %ld\n", run, delay);
  return 0;
}
