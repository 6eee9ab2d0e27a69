// Preloaded, it sets the time of day again and again while the program runs: each time that it is asked
// for, it is JUMP seconds or more later or earlier than any time before. The monotonic clock goes on as it
// does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long jump(void) {
  static long asked;
  const char *seconds = getenv("JUMP");
  long by = seconds ? atol(seconds) : 0, times = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST) % 10000;
  return times % 2 ? by * times : -by * times;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(time, zone);
  if (result == 0) time->tv_sec += jump();
  return result;
}

time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}
