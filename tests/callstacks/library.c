// Built as a library without frame pointers: its frames can be followed by DWARF's tables only.
static volatile int nothing;

__attribute__((noinline)) static void library_step(int depth, void (*back)(void)) {
  volatile char room[64 + 40];
  room[depth] = 1;
  if (depth > 0) library_step(depth - 1, back);
  else back();
  nothing += room[depth];
}

void through_library(int depth, void (*back)(void)) {
  library_step(depth, back);
  nothing++;
}
