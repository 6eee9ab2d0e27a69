// Roots made by std::thread, at the same time and nested two levels deep.
// run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
// expect: parallel_begin=9 parallel_end=9 implicit_task:implicit.begin=18
#include <atomic>
#include <thread>
#include <vector>

#include "../check.h"

int main() {
  std::atomic<int> leaves{0};
  std::vector<std::thread> roots;
  for (int i = 0; i < 3; i++) {
    roots.emplace_back([&] {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
      leaves++;
    });
  }
  for (auto &root : roots) root.join();
  return finish("thread_roots", leaves == 12);
}
