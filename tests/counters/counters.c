// Touches new pages: so many in each region by each thread, and between regions. Says how many page faults of its own
// the kernel counts meanwhile.
// run: threads=2
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define MOST 2000

static char *fresh;

static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

// Returns what the kernel counted for it.
static long touch(int index, int pages) {
  char *mine = fresh + (long)index * MOST * PAGE;
  long before = faults();
  for (int i = 0; i < pages; i++) mine[(long)i * PAGE] = 1;
  return faults() - before;
}

static void work(const char *who) {
  madvise(fresh, 4L * MOST * PAGE, MADV_DONTNEED);
  long first[2], second = 0, between;
  long thread[2];
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    thread[me] = syscall(SYS_gettid);
    first[me] = touch(me, 500 * (me + 1));
  }
  between = touch(2, 300);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) second = touch(3, 100);
  printf("%s first %ld second %ld between %ld\n", who, first[0] + first[1], second, between);
  printf("%s thread %ld %ld\n", who, thread[0], first[0]);
  printf("%s thread %ld %ld\n", who, thread[1], first[1] + second);
  fflush(stdout);
}

// Takes all numbers that anybody had for a pipe of its own, with words in it that must stay.
static int takes_descriptors(void) {
  int ends[2];
  long most = sysconf(_SC_OPEN_MAX);
  closefrom(3);
  if (pipe(ends) != 0 || write(ends[1], "mine", 4) != 4) return 1;
  for (int number = 5; number < most && number < 600; number++) dup2(ends[0], number);
  work("later");
  char words[8];
  return read(ends[0], words, sizeof words) == 4 && memcmp(words, "mine", 4) == 0 ? 0 : 1;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  fresh = mmap(0, 4L * MOST * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(fresh, 4L * MOST * PAGE, MADV_NOHUGEPAGE);
  work("main");
  int failed = 0;
  if (!strcmp(what, "closes")) failed = takes_descriptors();
  if (!strcmp(what, "forks")) {
    pid_t child = fork();
    if (child == 0) {
      work("child");
      exit(0);
    }
    int status;
    failed = waitpid(child, &status, 0) != child || status != 0;
  }
  if (!failed) puts("ok counters");
  return failed;
}
