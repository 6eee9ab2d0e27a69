// Phases from ompttrace.h, as in marks.c, in C++.
// run: threads=2
#include "marks.c"
