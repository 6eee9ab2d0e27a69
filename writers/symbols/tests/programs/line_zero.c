// One call without a line, as optimisers leave them where they merge two.
int g;
void called(void) { g++; }
int main(void) {
  called();
#line 0
  called(); return 0;
}
