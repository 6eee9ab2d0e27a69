// A runtime without OMPT, as far as its users can see; the program beside it calls it once.
#ifdef RUNTIME
int __kmpc_fork_call(void) { return 0; }
#else
int __kmpc_fork_call(void);
int main(void) { return __kmpc_fork_call(); }
#endif
