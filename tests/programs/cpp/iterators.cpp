// Loops over iterators and ranges, and a reduction of a class with an operator of its own.
// run: threads=4
// expect: parallel_begin=3 work.begin=12
#include <string>
#include <vector>

#include "../check.h"

struct Sum {
  long value = 0;
  Sum &operator+=(const Sum &other) {
    value += other.value;
    return *this;
  }
};
#pragma omp declare reduction(+ : Sum : omp_out += omp_in)

int main() {
  std::vector<int> numbers(100, 2);
  long total = 0;
  Sum sum;
#pragma omp parallel for
  for (auto it = numbers.begin(); it < numbers.end(); ++it) *it += 1;
#pragma omp parallel for reduction(+ : total)
  for (int number : numbers) total += number;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum.value += numbers[i];
  return finish("iterators", total == 300 && sum.value == 300);
}
