// What nobody else is to see: a name and an argument, a source file, names of phases, functions, variables and threads.
// run: threads=2 args=--customer=acme
#define _GNU_SOURCE
#include <omp.h>
#include <ompttrace.h>
#include <pthread.h>

#include "../programs/check.h"

static omp_lock_t turbine_locks[2];
static double cells[100000];

static void relax_turbine(int step) {
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < 100000; i++) cells[i] += step;
#pragma omp parallel
  {
#pragma omp critical(total_of_turbine)
    cells[0]++;
    omp_set_lock(&turbine_locks[1]);
    cells[1]++;
    omp_unset_lock(&turbine_locks[1]);
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : cells[i])
      cells[i]++;
    }
  }
}

int main(void) {
  pthread_setname_np(pthread_self(), "turbine io");
  for (int i = 0; i < 2; i++) omp_init_lock(&turbine_locks[i]);
  ompttrace_phase_begin("spin up of the turbine");
  for (int step = 0; step < 20; step++) relax_turbine(step);
  ompttrace_phase_end();
  return finish("private_simulation", cells[1] > 0);
}
