// After one region come several others in turn: of what is lost by the serial sections between them each kind is rounded
// by itself in a report, and all are one site of a table. Two roots share what workers lose meanwhile: halves of
// nanoseconds.
#include <pthread.h>
#include <stdio.h>

static void work(int turns) {
  volatile double sum = 0;
  for (int turn = 0; turn < turns; turn++) sum = sum + turn * 0.5;
}

#define REGION(name)                                                                                                   \
  __attribute__((noinline)) static void name(void) {                                                                   \
    _Pragma("omp parallel num_threads(2)") work(2000);                                                                 \
    work(500);                                                                                                         \
  }
REGION(first)
REGION(second)
REGION(third)
REGION(fourth)
REGION(fifth)

static void *root(void *arg) {
  static void (*const others[])(void) = {second, third, fourth, fifth};
  for (int round = 0; round < 40; round++) {
    first();
    work(20000);
    others[round % 4]();
    work(10000);
  }
  return arg;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, root, NULL);
  root(NULL);
  pthread_join(other, NULL);
  puts("ok after");
}
