// The same for C++: methods, namespaces, a call through a virtual table, an exception on the way.
// run: threads=2
#define SOURCE __BASE_FILE__
#include "chain.h"

namespace heat {
struct Solver {
  virtual ~Solver() {}
  virtual void step() = 0;
};

struct Jacobi : Solver {
  NOT_INLINED void sweep() {
    FUNCTION("heat::Jacobi::sweep");
#pragma omp parallel num_threads(2)
    {
      BODY("parallel", 2);
      LEAVE;
    }
    RETURN;
  }
  NOT_INLINED void step() override {
    FUNCTION("heat::Jacobi::step");
    sweep();
    RETURN;
  }
};

NOT_INLINED static void fails(int how) {
  if (how) throw how;
  nothing++;
}

NOT_INLINED static void run(Solver &solver) {
  FUNCTION("heat::run");
  try {
    fails(1);
  } catch (int) {
    solver.step();
  }
  RETURN;
}
}  // namespace heat

int main() {
  FUNCTION("main");
  heat::Jacobi jacobi;
  heat::run(jacobi);
  RETURN;
  puts("ok chains_cpp");
  return 0;
}
