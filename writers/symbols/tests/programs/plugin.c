// A library to be opened at run time; marks with the function that it is given.
int calls;

__attribute__((noinline, visibility("hidden"))) int inner(void (*mark)(const char *, int)) {
  mark("inner", __LINE__);
  return ++calls;
}

int run_plugin(void (*mark)(const char *, int)) {
  int x = inner(mark);
  mark("run_plugin", __LINE__);
  return x + calls;
}
