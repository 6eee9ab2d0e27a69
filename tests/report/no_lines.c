// The same, built without debugging information.
// run: threads=2
// build: flags=-g0
#include "short.c"
