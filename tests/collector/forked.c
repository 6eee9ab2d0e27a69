// A child that is forked while its parent's team holds locks, in a region or outside of all: what the collector
// (sun.c) asks there is answered, its regions and waits are reported.
//
//   forked inside|outside
// run: threads=3
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATE = 3, CURRENT_PRID, PARENT_PRID };
enum { FORK = 1, JOIN, BEGIN_LKWT = 9, BEGIN_CTWT = 11 };
enum { SERIAL = 6 };
extern unsigned long sun_events(int event) __attribute__((weak));
extern int __omp_collector_api(void *list) __attribute__((weak));

static omp_lock_t locks[3];
static int failed;

#define EXPECT(what) \
  do { \
    if (!(what)) failed = 1, fprintf(stderr, "line %d in %s: %s\n", __LINE__, where, #what); \
  } while (0)

static uint64_t ask(int request) {
  struct { int size, request, code, returned; uint64_t word; int end; } list = {24, request, -1, 0, 0, 0};
  if (__omp_collector_api(&list) != 0 || list.code != 0) return -1;
  return request == STATE ? (uint64_t)(uint32_t)list.word : list.word;
}

static int child(const char *where) {
  EXPECT(ask(STATE) == SERIAL);
  EXPECT(ask(CURRENT_PRID) == 0);
  EXPECT(ask(PARENT_PRID) == 0);
  unsigned long forks = sun_events(FORK), joins = sun_events(JOIN), waits = sun_events(BEGIN_LKWT);
  // Held in the parent by a thread that is not here.
  omp_init_lock(&locks[1]);
  omp_set_lock(&locks[1]), omp_unset_lock(&locks[1]);
  int sum = 0;
  for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() + (ask(CURRENT_PRID) != 0);
  }
  EXPECT(sum == 2 * 3);
  EXPECT(sun_events(FORK) == forks + 2 && sun_events(JOIN) == joins + 2);
  EXPECT(sun_events(BEGIN_LKWT) == waits);
  EXPECT(ask(STATE) == SERIAL);
  return failed;
}

static void fork_now(const char *where) {
  pid_t pid = fork();
  if (pid == 0) _exit(child(where));
  int status;
  EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int count, char **words) {
  if (!sun_events || !__omp_collector_api || count < 2) return 2;
  const char *where = words[1];
  for (int i = 0; i < 3; i++) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num();
    omp_set_lock(&locks[me]);
#pragma omp barrier
    if (me == 0 && strcmp(where, "inside") == 0) fork_now(where);
#pragma omp barrier
    if (strcmp(where, "inside") == 0 || me != 1) omp_unset_lock(&locks[me]);
  }
  if (strcmp(where, "outside") == 0) fork_now(where);
  if (!failed) puts("ok forked");
  return failed;
}
