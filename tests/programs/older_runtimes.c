// Preloaded on runtimes older than libomp 19: clang 19 calls this after every dynamic loop, to free
// what those runtimes free by themselves.
void __kmpc_dispatch_deinit(void *where, int thread);

void __kmpc_dispatch_deinit(void *where, int thread) {
  (void)where;
  (void)thread;
}
