// The header in C++.
// run: threads=2
#include "by_header.c"
