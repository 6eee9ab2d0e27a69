// Preloaded, it keeps a program to the thread that it has, as a limit of processes does for all but root.
#include <errno.h>
#include <pthread.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *argument) {
  (void)thread, (void)attributes, (void)body, (void)argument;
  return EAGAIN;
}
