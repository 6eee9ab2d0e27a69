// Preloaded, it does what another user may do in a folder of his: when libotf2 opens its first file in an unfinished
// archive in the folder SWAP_IN, that archive is renamed to `swapped`, and one whose files are links into the folder
// SWAP_FOR takes its place. Where this is root, a child process does it with the rights of the folder's owner.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_draft(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".part") == 0;
}

// In the working folder, with the links in the archive itself and in a folder of it.
static void put_links_for(const char *draft) {
  static const char *const names[] = {"traces.otf2", "traces.def", "traces.marker"};
  char path[4096], target[4096];
  if (rename(draft, "swapped") != 0) _exit(2);
  for (int inside = 0; inside < 2; inside++) {
    snprintf(path, sizeof path, inside ? "%s/trace" : "%s", draft);
    if (mkdir(path, 0777) != 0 || chmod(path, 0777) != 0) _exit(3);
    for (int i = 0; i < 3; i++) {
      snprintf(path, sizeof path, inside ? "%s/trace/%s" : "%s/%s", draft, names[i]);
      snprintf(target, sizeof target, "%s/%s", getenv("SWAP_FOR"), names[i]);
      if (symlink(target, path) != 0) _exit(4);
    }
    snprintf(path, sizeof path, inside ? "%s/trace/traces" : "%s/traces", draft);
    if (mkdir(path, 0777) != 0 || chmod(path, 0777) != 0) _exit(5);
  }
  _exit(0);
}

static void swap(const char *opened) {
  static int over;
  struct dirent **entries;
  struct stat status;
  const char *folder = getenv("SWAP_IN");
  if (over || !folder || !strstr(opened, "traces")) return;
  if (scandir(folder, &entries, is_draft, alphasort) < 1) return;
  over = 1;
  pid_t child = fork();
  if (child == 0) {
    if (chdir(folder) != 0 || stat(".", &status) != 0) _exit(1);
    if (geteuid() == 0 && (setgid(status.st_gid) != 0 || setuid(status.st_uid) != 0)) _exit(1);
    put_links_for(entries[0]->d_name);
  }
  waitpid(child, NULL, 0);
}

FILE *fopen(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
  swap(path);
  return real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen64");
  swap(path);
  return real(path, mode);
}

int open64(const char *path, int flags, ...) {
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  swap(path);
  return real(path, flags, mode);
}
