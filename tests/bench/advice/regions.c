/* The shape of LULESH's equation of state: elements lie sorted by material, and some materials take several times as
 * long. CURED: chunks of elements go to whoever is free, as large as the report advises. */
#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 40000, STEPS = 120 };

static double energy[ELEMENTS];

static int repetitions(int element) {
  int material = element / (ELEMENTS / 8);
  return material < 5 ? 2 : material < 7 ? 6 : 20;
}

int main(void) {
  for (int step = 0; step < STEPS; step++) {
#ifdef CURED
#pragma omp parallel for schedule(dynamic, 512)
#else
#pragma omp parallel for schedule(static)
#endif
    for (int element = 0; element < ELEMENTS; element++) {
      double value = energy[element] + 1;
      for (int again = repetitions(element); again > 0; again--) value = sqrt(value * value + 0.5);
      energy[element] = value;
    }
  }
  double sum = 0;
  for (int element = 0; element < ELEMENTS; element++) sum += energy[element];
  printf("%.3f\n", sum);
  return 0;
}
