// Threads that share one core, and what the system itself says of that.
//   spin      until each was preempted often enough; then each one's run delay by the kernel's own account
//   yield     the same by yielding, with events now and then
//   storm     the same for longer, but for 10 s at most where other programs want the core, and says how often in a second
//   kill      as yield, and is killed
//   silent    yields without events, far more often than any buffer holds
//   many      512 threads in one region
//   refused   perf events are refused before the first region, then as spin
//   filtered  a filter comes between a region of two threads and one of four: to open a perf event is death
//   late      the same of opening files, which is refused
//   forks     children of all kinds between two regions, which have events and switches of their own
// args: what, and where it is another word what else: `closes` closes all descriptors that it does not know.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/check.h"

enum { THREADS = 4, MANY = 512 };

static unsigned long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ul + time.tv_nsec;
}

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

static long preemptions(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

static unsigned long run_delay(void) {
  unsigned long run = 0, delay = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "r");
  if (!file || fscanf(file, "%lu %lu", &run, &delay) != 2) delay = 0;
  if (file) fclose(file);
  return delay;
}

// The run delay at a time: one that no wait for the core came between.
static unsigned long delay_at(unsigned long *time) {
  unsigned long delay;
  do {
    delay = run_delay();
    *time = now();
  } while (delay != run_delay());
  return delay;
}

static void event(void) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < THREADS; i++) __asm__ volatile("");
}

// What a user may do, asked as the tool asks.
static int may_perf(void) {
  struct perf_event_attr attributes = {.size = sizeof attributes,
                                       .type = PERF_TYPE_SOFTWARE,
                                       .config = PERF_COUNT_SW_DUMMY,
                                       .context_switch = 1,
                                       .exclude_kernel = 1};
  int event = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event >= 0) close(event);
  return event >= 0;
}

// Lines of a file of /proc that have this word.
static int lines_with(const char *path, const char *word) {
  char line[4096];
  int count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) count += strstr(line, word) != NULL;
  if (file) fclose(file);
  return count;
}

static void share_a_core(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &one);
      break;
    }
  sched_setaffinity(0, sizeof one, &one);
}

static int forbid(int call, unsigned answer) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

struct said {
  long thread;
  unsigned long begin, end, delay;
};

static void spin(int closes) {
  struct said said[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    event();
#pragma omp barrier
    if (closes && omp_get_thread_num() == 0) syscall(SYS_close_range, 3, ~0u, 0);
    struct said own = {.thread = syscall(SYS_gettid)};
    unsigned long before = delay_at(&own.begin);
    for (long from = preemptions(); preemptions() < from + 10;) event();
    own.delay = delay_at(&own.end) - before;
    said[omp_get_thread_num()] = own;
    event();
  }
  for (int i = 0; i < THREADS; i++)
    printf("thread %ld %lu %lu %lu\n", said[i].thread, said[i].begin, said[i].end, said[i].delay);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

// For so many seconds at most.
static void yield(long times, int silent, double most) {
  int left = 2;
  double begin = seconds();
#pragma omp parallel num_threads(2)
  {
    event();
    long done = switches() + times;
    // Who is done stays, for nobody yields to himself.
    while (switches() < done && seconds() < begin + most) {
      for (int i = 0; i < 50; i++) sched_yield();
      if (!silent) event();
    }
    __atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&left, __ATOMIC_SEQ_CST)) sched_yield();
    event();
  }
}

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  {
    event();
#pragma omp barrier
    event();
  }
}

// Events of one thread, with switches, as a child has them that knows of no other thread.
static void locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int i = 0; i < 20000; i++) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    if (i % 100 == 0) sched_yield();
  }
}

static int ends_well(pid_t child) {
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int forks(void) {
  region(2);
  pid_t child = fork();
  if (child == 0) {
    region(2);
    locks();
    exit(0);
  }
  int good = ends_well(child);
  // libc and the runtime know nothing of this one.
  child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    locks();
    _exit(0);
  }
  good &= ends_well(child);
  child = vfork();
  if (child == 0) _exit(0);
  good &= ends_well(child);
  yield(100, 0, 1e9);
  return good;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "spin";
  int good = 1, closes = count > 2 && !strcmp(words[2], "closes");
  share_a_core();
  printf("perf %d\n", may_perf());
  if (!strcmp(what, "refused")) good = forbid(SYS_perf_event_open, SECCOMP_RET_ERRNO | EACCES);
  if (!strcmp(what, "spin") || !strcmp(what, "refused")) spin(closes);
  if (!strcmp(what, "yield") || !strcmp(what, "kill")) yield(2000, 0, 1e9);
  if (!strcmp(what, "storm")) {
    double begin = seconds();
    long before = switches();
    yield(100000, 0, 10);
    printf("rate %ld\n", (long)((switches() - before) / (seconds() - begin)));
  }
  if (!strcmp(what, "silent")) yield(5000, 1, 1e9);
  if (!strcmp(what, "many")) region(MANY);
  if (!strcmp(what, "forks")) good = forks();
  if (!strcmp(what, "filtered") || !strcmp(what, "late")) {
    region(2);
    good = !strcmp(what, "filtered") ? forbid(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS)
                                     : forbid(SYS_openat, SECCOMP_RET_ERRNO | EPERM);
    region(THREADS);
  }
  if (!strcmp(what, "kill")) {
    fflush(stdout);
    raise(SIGKILL);
  }
  printf("mapped %d\n", lines_with("/proc/self/maps", "[perf_event]"));
  printf("pinned %d\n", lines_with("/proc/self/status", "VmPin:\t       0 kB") != 1);
  return finish("cores", good);
}
