// An EELIB whose execution entities are processes (2.5 of the document): forked for each region, at one level only.
// The whole runtime is compiled with EE_TYPE_PROCESS.
#include "../ompi/ort.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int oprc_initialize(int *argc, char ***argv, ort_icvs_t *icvs, ort_caps_t *caps) {
  (void)argc, (void)argv;
  *caps = (ort_caps_t){.max_levels_supported = 1, .default_numthreads = icvs->nthreads};
  return 0;
}

void oprc_finalize(int value) { (void)value; }
int oprc_yield(void) { return sched_yield(); }
int oprc_request(int entities, int level) { return level == 1 ? entities : 0; }

void oprc_create(int entities, int level, void *secret, void **info) {
  (void)level;
  *info = malloc(sizeof(int));
  *(int *)*info = entities;
  for (int number = 1; number <= entities; number++) {
    pid_t child = fork();
    if (child < 0) abort();
    if (child > 0) continue;
    ort_ee_dowork(number, secret);
    exit(0);
  }
}

void oprc_waitall(void **info) {
  for (int left = *(int *)*info; left > 0; left--) {
    int status;
    if (wait(&status) < 0 || status != 0) abort();
  }
  free(*info);
}
