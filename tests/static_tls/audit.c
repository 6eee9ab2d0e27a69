// An audit module that asks for nothing. Where there is one, the dynamic linker sets thread-local memory up before
// it knows the program's libraries: theirs must come from what it keeps for libraries that come later.
unsigned la_version(unsigned version) { return version; }
