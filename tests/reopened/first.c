// Its code stands at the same addresses as second.c's.
static volatile int done;

__attribute__((noinline)) static void first_work(void) {
  volatile char frame[4096];
  frame[done & 63] = 1;
  done++;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(alpha)
    done++;
#pragma omp single
#pragma omp task
    done++;
  }
  frame[done & 31] = 2;
}

void run(void) {
  first_work();
  done++;
}
