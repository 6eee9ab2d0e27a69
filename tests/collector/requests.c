// Every request and every error code of the Collector API, as a program that finds the interface by its
// name. It prints the first thing that is not as the paper has it, and `ok` at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START, REGISTER, UNREGISTER, STATE, CURRENT_PRID, PARENT_PRID, STOP, PAUSE, RESUME };
enum { OK, ERROR, UNKNOWN, UNSUPPORTED, SEQUENCE, OBSOLETE, THREAD, TOO_SMALL };
enum { FORK = 1, JOIN = 2, SERIAL = 6 };

static int (*api)(void *);
static int forks, joins, others;

#define EXPECT(what) \
  do { \
    if (!(what)) printf("line %d: %s\n", __LINE__, #what), exit(1); \
  } while (0)

struct entry {
  int size, request, code, returned;
  int memory[12];
};

static struct entry one(int request, int room) {
  struct entry list = {16 + room, request, -1, -1, {0}};
  list.memory[room / 4] = 0; // the end of the list
  EXPECT(api(&list) == 0);
  return list;
}

static int code(int request, int room) { return one(request, room).code; }

static void count(int event) { event == FORK ? forks++ : event == JOIN ? joins++ : others++; }
static void count_other(int event) { (void)event, others++; }

// `second` is where the pointer stands behind the event: 4 packed, 8 as a C struct has it.
static int add(int event, void (*callback)(int), int second) {
  struct entry list = {16 + second + 8, REGISTER, -1, -1, {event}};
  memcpy((char *)list.memory + second, &callback, 8);
  memset((char *)list.memory + second + 8, 0, 4);
  EXPECT(api(&list) == 0);
  return list.code;
}

static int removed(int event) {
  struct entry list = {20, UNREGISTER, -1, -1, {event, 0}};
  EXPECT(api(&list) == 0);
  return list.code;
}

static void *elsewhere(void *unused) {
  (void)unused;
  struct entry state = one(STATE, 12), region = one(CURRENT_PRID, 8);
  EXPECT(state.code == OK && state.memory[0] == SERIAL && state.returned == 4);
  EXPECT(region.code == OK && region.memory[0] == 0 && region.memory[1] == 0);
  EXPECT(code(PARENT_PRID, 8) == THREAD);
  return NULL;
}

static int in_session = 1;

static void regions(int n) {
  for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
    {
      struct entry own = one(CURRENT_PRID, 8), parent = one(PARENT_PRID, 8);
      if (in_session) {
        EXPECT(own.code == OK && own.returned == 8 && own.memory[0] != 0);
        EXPECT(parent.code == OK || parent.code == THREAD);
      } else {
        EXPECT(own.code == SEQUENCE && parent.code == SEQUENCE);
      }
    }
  }
}

static void sizes_and_addresses(void) {
  struct entry list = {16, RESUME, -1, -1, {16, RESUME, -1, -1, 0}};
  EXPECT(api(&list) == 0 && list.code == OK && list.memory[2] == OK);
  for (int bad = 0; bad < 3; bad++) {
    // The first entry is answered, the bad one and what follows are not.
    static const int sizes[] = {15, 18, -16};
    struct entry broken = {16, PAUSE, -1, -1, {sizes[bad], RESUME, -1, -1, 0}};
    EXPECT(api(&broken) == -1 && broken.code == OK && broken.memory[2] == -1);
    EXPECT(code(RESUME, 0) == OK);
  }
  char memory[64] = {0};
  int size = 16, no_code = -1;
  memcpy(memory + 2, &size, 4), memcpy(memory + 10, &no_code, 4);
  EXPECT(api(memory + 2) == -1 && memcmp(memory + 10, &no_code, 4) == 0);
  EXPECT(api(NULL) == -1);
  int end = 0;
  EXPECT(api(&end) == 0);
}

static void before_the_start(void) {
  for (int request = REGISTER; request <= RESUME; request++) EXPECT(code(request, 16) == SEQUENCE);
  EXPECT(code(9, 16) == UNKNOWN && code(-1, 16) == UNKNOWN && code(4096, 0) == UNKNOWN);
}

static void answers(void) {
  struct entry small = one(CURRENT_PRID, 4);
  EXPECT(small.code == TOO_SMALL && small.returned == 8);
  small = one(STATE, 0);
  EXPECT(small.code == TOO_SMALL && small.returned == 4);
  struct entry large = one(STATE, 40);
  EXPECT(large.code == OK && large.memory[0] == SERIAL);
  EXPECT(code(PARENT_PRID, 8) == OK && code(PARENT_PRID, 4) == TOO_SMALL);
}

static void registering(void) {
  EXPECT(add(23, count, 4) == UNKNOWN && add(0, count, 4) == UNKNOWN);
  EXPECT(add(4096, count, 4) == UNKNOWN && add(-1, count, 4) == UNKNOWN);
  EXPECT(code(REGISTER, 8) == ERROR && code(REGISTER, 0) == ERROR);
  EXPECT(add(FORK, NULL, 4) == ERROR);
  EXPECT(code(UNREGISTER, 0) == ERROR && removed(99) == UNKNOWN);
  EXPECT(removed(JOIN) == OK); // nothing was registered: ignored
  EXPECT(add(FORK, count_other, 4) == OK && add(FORK, count, 4) == OK); // the new one replaces it
  EXPECT(add(JOIN, count, 4) == OK);
  regions(3);
  EXPECT(forks == 3 && joins == 3 && others == 0);
  EXPECT(removed(JOIN) == OK);
  regions(1);
  EXPECT(forks == 4 && joins == 3);
  EXPECT(code(PAUSE, 0) == OK && code(PAUSE, 0) == OK);
  EXPECT(add(JOIN, count, 4) == OK); // also while paused
  regions(2);
  EXPECT(forks == 4 && joins == 3);
  EXPECT(code(RESUME, 0) == OK && code(RESUME, 0) == OK);
  regions(1);
  EXPECT(forks == 5 && joins == 4);
}

int main(void) {
  api = (int (*)(void *))dlsym(RTLD_DEFAULT, "__omp_collector_api");
  EXPECT(api);
  for (int second = 4; second <= 8; second += 4) {
    forks = joins = others = 0;
    before_the_start();
    EXPECT(code(START, 0) == OK && code(START, 0) == SEQUENCE);
    sizes_and_addresses();
    answers();
    registering();
    // A second session, of a collector that writes C structs.
    EXPECT(code(STOP, 0) == OK && code(STOP, 0) == SEQUENCE);
    in_session = 0;
    regions(1);
    in_session = 1;
    EXPECT(forks == 5);
    EXPECT(code(START, 0) == OK && add(FORK, count, second) == OK);
    regions(1);
    EXPECT(forks == 6);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, elsewhere, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(code(STOP, 0) == OK);
  }
  puts("ok requests");
  return 0;
}
