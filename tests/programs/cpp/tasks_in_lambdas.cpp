// Tasks from lambdas and templates: outlined functions with long mangled names.
// run: threads=4
// expect: task_create:explicit=30 task_schedule:complete=30
#include <atomic>
#include <functional>
#include <vector>

#include "../check.h"

template <typename Each> static void for_each_in_tasks(const std::vector<int> &items, Each each) {
  for (int item : items) {
#pragma omp task firstprivate(item)
    each(item);
  }
#pragma omp taskwait
}

int main() {
  std::atomic<int> sum{0};
  std::vector<int> items(15, 2);
  std::function<void(int)> add = [&](int item) { sum += item; };
#pragma omp parallel
#pragma omp single
  {
    for_each_in_tasks(items, add);
    for_each_in_tasks(items, [&](int item) { sum += item; });
  }
  return finish("tasks_in_lambdas", sum == 60);
}
