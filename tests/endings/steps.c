// Preloaded, it kills the process at a step of the tool's: a system call on files whose path begins with STEPS_PATH
// or on pools, and the wait for the exporter. STEPS_AT is the number of that step, the first one is 1; STEPS_KILL says
// whether it dies before it, with half of a write done, or after it, when the tool has not yet heard of it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../programs/after_exit.h"

static long steps;

static int is_ours(const char *path) {
  const char *run = getenv("STEPS_PATH");
  return path && ((run && !strncmp(path, run, strlen(run))) ||
                  !strncmp(path, "/dev/shm/ompttrace.", 19));
}

static int is_open_on_ours(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  return is_ours(path);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Whether the process is to die at this step, in this way; a step is counted when it is first asked for.
static int is_last(int ours, const char *way, long *step) {
  const char *at = getenv("STEPS_AT"), *chosen = getenv("STEPS_KILL");
  if (!ours) return 0;
  if (*step == 0) *step = __atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST);
  return at && chosen && *step == atol(at) && !strcmp(chosen, way);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define STEP(ours, type, call)                \
  int is = ours;                              \
  if (is_last(is, "before", &step)) die();    \
  type answer = call;                         \
  if (is_last(is, "after", &step)) die();     \
  return answer

static int mode_of(int flags, va_list more) { return flags & O_CREAT ? va_arg(more, int) : 0; }

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = mode_of(flags, more);
  long step = 0;
  va_end(more);
  STEP(is_ours(path), int, REAL(open)(path, flags, mode));
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = mode_of(flags, more);
  long step = 0;
  va_end(more);
  STEP(is_ours(path), int, REAL(open64)(path, flags, mode));
}

int mkdir(const char *path, mode_t mode) {
  long step = 0;
  STEP(is_ours(path), int, REAL(mkdir)(path, mode));
}

int unlink(const char *path) {
  long step = 0;
  STEP(is_ours(path), int, REAL(unlink)(path));
}

int rename(const char *from, const char *to) {
  long step = 0;
  STEP(is_ours(to), int, REAL(rename)(from, to));
}

int fallocate(int file, int mode, off_t at, off_t bytes) {
  long step = 0;
  STEP(is_open_on_ours(file), int, REAL(fallocate)(file, mode, at, bytes));
}

int ftruncate(int file, off_t bytes) {
  long step = 0;
  STEP(is_open_on_ours(file), int, REAL(ftruncate)(file, bytes));
}

void *mmap(void *at, size_t bytes, int rights, int flags, int file, off_t from) {
  long step = 0;
  STEP(file >= 0 && is_open_on_ours(file), void *,
       REAL(mmap)(at, bytes, rights, flags, file, from));
}

ssize_t write(int file, const void *bytes, size_t count) {
  long step = 0;
  int ours = is_open_on_ours(file);
  if (is_last(ours, "half", &step)) {
    REAL(write)(file, bytes, count / 2);
    die();
  }
  STEP(ours, ssize_t, REAL(write)(file, bytes, count));
}

// Of the first half of the vector's parts all, of the others nothing, and one part in between torn.
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  long step = 0;
  int ours = is_open_on_ours(file);
  if (is_last(ours, "half", &step)) {
    struct iovec some[8];
    for (int i = 0; i < count; i++) some[i] = parts[i];
    some[count / 2 - 1].iov_len /= 2;
    REAL(pwritev)(file, some, count / 2, at);
    die();
  }
  STEP(ours, ssize_t, REAL(pwritev)(file, parts, count, at));
}

// The exporter is started, which nobody waits for yet.
static void wait_for_exporter(void) {
  long step = 0;
  if (is_last(1, "before", &step)) die();
}

static int after_exit(long number, const long a[6], long *answer) {
  switch (number) {
    case SYS_openat:
      if (a[0] != AT_FDCWD) return 0;
      *answer = open((const char *)a[1], (int)a[2], (int)a[3]);
      return 1;
    case SYS_unlinkat:
      if (a[0] != AT_FDCWD || a[2]) return 0;
      *answer = unlink((const char *)a[1]);
      return 1;
    case SYS_fallocate: *answer = fallocate((int)a[0], (int)a[1], a[2], a[3]); return 1;
    case SYS_ftruncate: *answer = ftruncate((int)a[0], a[1]); return 1;
    case SYS_write: *answer = write((int)a[0], (const void *)a[1], (size_t)a[2]); return 1;
    case SYS_pwritev: *answer = pwritev((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]); return 1;
    case SYS_wait4: wait_for_exporter(); return 0;
    default: return 0;
  }
}

__attribute__((destructor)) static void end(void) {
  trap_after_exit((const long[]){SYS_openat, SYS_unlinkat, SYS_fallocate, SYS_ftruncate, SYS_write, SYS_pwritev,
                                 SYS_wait4, -1});
}
