// first.c once more: other lines and names at the same addresses, and a larger frame, so that its callers are found
// by its own unwinding tables alone.
static volatile int done;

__attribute__((noinline)) static void other_work(void) {
  volatile char frame[8192];
  frame[done & 63] = 1;
  done++;

#pragma omp parallel num_threads(2)
  {

#pragma omp critical(gamma)
    done++;

#pragma omp single
#pragma omp task
    done++;
  }
  frame[done & 31] = 2;
}

void run(void) {
  other_work();
  done++;
}
