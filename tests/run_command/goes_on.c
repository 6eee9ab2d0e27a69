// Runs regions, makes the file `ready`, waits for the file `go`, runs as many again and ends: by SIGKILL if it
// has an argument. With two it forks a child before, which lives as long as the file `stay` is missing.
// run: threads=2 exit=0
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "../programs/check.h"

static int regions(void) {
  int team_threads = 0;
  for (int i = 0; i < 100; i++) {
#pragma omp parallel reduction(+ : team_threads)
    team_threads++;
  }
  return team_threads;
}

// A test that forgets the file shall fail and not wait.
static void wait_for(const char *file) {
  for (int i = 0; i < 2000 && access(file, F_OK) != 0; i++) usleep(10000);
}

int main(int count, char **arguments) {
  int team_threads = regions();
  if (count > 2 && fork() == 0) {
    wait_for("stay");
    _exit(0);
  }
  fclose(fopen("ready", "w"));
  wait_for("go");
  team_threads += regions();
  (void)arguments;
  if (count > 1) raise(SIGKILL);
  return finish("goes_on", team_threads > 0 && team_threads % 200 == 0);
}
