// Where counts live: in a shared file mapping, so that they outlive _exit, SIGKILL and exit() inside
// a region. Nothing is summed in the process and no thread has to end well.
#define _GNU_SOURCE
#include "counts.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct counts *counts;

static char pattern[4096];
static uint32_t next_block;

// A plain pointer has no destructor, so it works in callbacks that come after a thread's cleanup.
static __thread struct block *mine __attribute__((tls_model("initial-exec")));

static void die(const char *what) {
  fprintf(stderr, "oracle: cannot %s: %m\n", what);
  _exit(97);
}

static int has_pid(void) { return strstr(pattern, "%p") != NULL; }

static int open_file(void) {
  char path[sizeof pattern + 24];
  const char *pid = strstr(pattern, "%p");
  if (pid)
    snprintf(path, sizeof path, "%.*s%d%s", (int)(pid - pattern), pattern, getpid(), pid + 2);
  else
    snprintf(path, sizeof path, "%s", pattern);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) die("create the file that ORACLE_COUNTS names");
  if (ftruncate(fd, sizeof(struct counts)) != 0) die("size the counts file");
  return fd;
}

static void map_at(void *where, int into_file) {
  int fd = into_file ? open_file() : -1;
  int flags = into_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void *map = mmap(where, sizeof(struct counts), PROT_READ | PROT_WRITE,
                   flags | (where ? MAP_FIXED : 0), fd, 0);
  if (map == MAP_FAILED) die("map the counts");
  if (into_file) close(fd);
  counts = map;
}

static void write_header(void) {
  struct header *h = &counts->header;
  memcpy(h->magic, "OMPORACL", 8);
  h->version = COUNTS_VERSION;
  h->ids = IDS;
  h->endpoints = ENDPOINTS;
  h->kinds = KINDS;
  h->blocks = BLOCKS;
  h->block_bytes = sizeof(struct block);
  h->pid = (uint64_t)getpid();
  for (int id = 0; id < IDS; id++) h->registered[id] = -1;
}

// A forked child counts for itself: in its own file when the pattern holds %p, else nowhere. The new
// mapping takes the old one's place, so every thread's pointer stays good.
static void after_fork(void) {
  struct header parents = counts->header;
  map_at(counts, has_pid());
  write_header();
  counts->header.omp_version = parents.omp_version;
  counts->header.tool = parents.tool;
  counts->header.forked = 1;
  memcpy(counts->header.registered, parents.registered, sizeof parents.registered);
  memcpy(counts->header.runtime, parents.runtime, sizeof parents.runtime);
}

void counts_open(void) {
  if (counts) return;
  const char *name = getenv("ORACLE_COUNTS");
  snprintf(pattern, sizeof pattern, "%s", name ? name : "");
  map_at(NULL, pattern[0] != 0);
  write_header();
  pthread_atfork(NULL, NULL, after_fork);
}

// More threads than blocks share them: additions are atomic, so only speed suffers.
struct block *counts_mine(void) {
  if (!mine)
    mine = &counts->blocks[__atomic_fetch_add(&next_block, 1, __ATOMIC_RELAXED) % BLOCKS];
  return mine;
}
