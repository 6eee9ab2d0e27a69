// Objects with constructors and destructors as private copies of loops, sections and tasks.
// run: threads=4
// expect: parallel_begin=1 task_create:explicit=4
#include <string>

#include "../check.h"

int main() {
  std::string text = "abc";
  int length = 0;
#pragma omp parallel firstprivate(text)
  {
    text += "d";
#pragma omp task firstprivate(text) shared(length)
    {
#pragma omp atomic
      length += static_cast<int>(text.size());
    }
  }
  return finish("firstprivate_objects", length == 16);
}
