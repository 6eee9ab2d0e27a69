// Locks: shared and own, simple and nested, with hints, set and tried. Nothing that could wait for a
// task is done while one is held.
#include <omp.h>

#include "soak.h"

enum { SHARED = 4 };

static omp_lock_t locks[SHARED];
static omp_nest_lock_t nested_locks[SHARED];

static const omp_sync_hint_t hints[] = {omp_sync_hint_none, omp_sync_hint_uncontended,
                                        omp_sync_hint_contended};

void make_locks(void) {
  for (int i = 0; i < SHARED; i++) {
    omp_init_lock_with_hint(&locks[i], hints[i % 3]);
    omp_init_nest_lock(&nested_locks[i]);
  }
}

static void own_lock(dice d) {
  omp_lock_t own;
  omp_init_lock_with_hint(&own, hints[below(&d, 3)]);
  omp_set_lock(&own);
  // Held already: this fails.
  if (below(&d, 2)) omp_test_lock(&own);
  omp_unset_lock(&own);
  omp_destroy_lock(&own);
}

void some_locks(dice d, int depth) {
  (void)depth;
  for (int left = may('k') ? 1 + below(&d, 8) : 0; left > 0; left--) {
    omp_lock_t *lock = &locks[below(&d, SHARED)];
    int how = below(&d, 4);
    if (how == 0) {
      own_lock(d);
      continue;
    }
    if (how == 1 && !omp_test_lock(lock)) continue;
    if (how > 1) omp_set_lock(lock);
    leaf(branch(d, left));
    omp_unset_lock(lock);
  }
}

void some_nested_locks(dice d, int depth) {
  (void)depth;
  for (int left = may('k') ? 1 + below(&d, 5) : 0; left > 0; left--) {
    omp_nest_lock_t *lock = &nested_locks[below(&d, SHARED)];
    int deep = 1 + below(&d, 3), held = 0;
    for (; held < deep; held++) {
      if (below(&d, 2))
        omp_set_nest_lock(lock);
      else if (!omp_test_nest_lock(lock))
        break;
    }
    leaf(branch(d, left));
    while (held-- > 0) omp_unset_nest_lock(lock);
  }
}
