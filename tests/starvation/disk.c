// Preloaded, it makes a disk out of all files whose path begins with DISK_PATH: one of DISK_BYTES
// bytes, as long as the file DISK_WHILE is there (if that is set), on which each write takes
// DISK_DELAY microseconds and, with DISK_INTERRUPTS, every other call is interrupted. With DISK_ERROR
// that is the number of the error instead of a full disk's, also where something is written over what is
// there (as with a quota on btrfs). With DISK_NO_FALLOCATE it cannot preallocate, as NFS before 4.2. While
// the file DISK_HANGS is there, no write comes back, and the first that does not makes the file
// DISK_HANGS.now. For what no mount can do, and where a test must not mount.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../programs/after_exit.h"

static long used;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static int is_on_it(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  const char *disk = setting("DISK_PATH");
  path[length < 0 ? 0 : length] = 0;
  return *disk && strncmp(path, disk, strlen(disk)) == 0;
}

static long left(void) {
  const char *still = setting("DISK_WHILE"), *bytes = setting("DISK_BYTES");
  if (!*bytes || (*still && access(still, F_OK) != 0)) return 1L << 40;
  long rest = atol(bytes) - __atomic_load_n(&used, __ATOMIC_SEQ_CST);
  return rest > 0 ? rest : 0;
}

// A signal came, the first time and every other time.
static int interrupted(void) {
  static int calls;
  if (!*setting("DISK_INTERRUPTS") || __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) % 2) return 0;
  errno = EINTR;
  return 1;
}

static int no_room(void) { return *setting("DISK_ERROR") ? atoi(setting("DISK_ERROR")) : ENOSPC; }

static void hang(void) {
  const char *while_there = setting("DISK_HANGS");
  char flag_file[4096];
  if (!*while_there || access(while_there, F_OK) != 0) return;
  snprintf(flag_file, sizeof flag_file, "%s.now", while_there);
  close(creat(flag_file, 0600));
  while (access(while_there, F_OK) == 0) usleep(1000);
}

// How many of so many bytes there is space for.
static size_t taken(size_t wanted) {
  usleep((useconds_t)atol(setting("DISK_DELAY")));
  hang();
  size_t room = (size_t)left(), got = wanted < room ? wanted : room;
  __atomic_add_fetch(&used, (long)got, __ATOMIC_SEQ_CST);
  if (!got) errno = no_room();
  return got;
}

ssize_t write(int file, const void *bytes, size_t count) {
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (!count || !is_on_it(file)) return real(file, bytes, count);
  if (interrupted()) return -1;
  size_t got = taken(count);
  return got ? real(file, bytes, got) : -1;
}

// Over what is there already, for which a full disk needs no space.
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
  if (!count || !is_on_it(file) || !*setting("DISK_ERROR")) return real(file, bytes, count, at);
  size_t got = taken(count);
  return got ? real(file, bytes, got, at) : -1;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  ssize_t (*real)(int, const struct iovec *, int, off_t) = dlsym(RTLD_NEXT, "pwritev");
  if (!is_on_it(file)) return real(file, parts, count, at);
  if (interrupted()) return -1;
  struct iovec some[8];
  size_t all = 0;
  for (int i = 0; i < count; i++) all += (some[i] = parts[i]).iov_len;
  size_t got = taken(all), rest = got;
  if (!got) return -1;
  for (int i = 0; i < count; i++) {
    some[i].iov_len = some[i].iov_len < rest ? some[i].iov_len : rest;
    rest -= some[i].iov_len;
  }
  return real(file, some, count, at);
}

int fallocate(int file, int mode, off_t offset, off_t bytes) {
  int (*real)(int, int, off_t, off_t) = dlsym(RTLD_NEXT, "fallocate");
  if (is_on_it(file) && interrupted()) return -1;
  if (is_on_it(file) && *setting("DISK_NO_FALLOCATE")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (!is_on_it(file) || left() > 1L << 39) return real(file, mode, offset, bytes);
  errno = no_room();
  if (left() < bytes) return -1;
  taken((size_t)bytes);
  return real(file, mode, offset, bytes);
}

int statvfs(const char *path, struct statvfs *status) {
  int (*real)(const char *, struct statvfs *) = dlsym(RTLD_NEXT, "statvfs");
  int result = real(path, status);
  const char *disk = setting("DISK_PATH");
  if (result == 0 && strncmp(path, disk, strlen(path)) == 0)
    status->f_bavail = (fsblkcnt_t)left() / status->f_frsize;
  return result;
}

static int after_exit(long number, const long a[6], long *answer) {
  switch (number) {
    case SYS_write: *answer = write((int)a[0], (const void *)a[1], (size_t)a[2]); return 1;
    case SYS_pwrite64: *answer = pwrite64((int)a[0], (const void *)a[1], (size_t)a[2], a[3]); return 1;
    case SYS_pwritev: *answer = pwritev((int)a[0], (const struct iovec *)a[1], (int)a[2], a[3]); return 1;
    case SYS_fallocate: *answer = fallocate((int)a[0], (int)a[1], a[2], a[3]); return 1;
    default: return 0;
  }
}

__attribute__((destructor)) static void end(void) {
  trap_after_exit((const long[]){SYS_write, SYS_pwrite64, SYS_pwritev, SYS_fallocate, -1});
}
