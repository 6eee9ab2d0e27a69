// A library whose thread-local memory must come from what the dynamic linker keeps for such.
__thread char memory[900] __attribute__((tls_model("initial-exec")));

int touch(void) { return memory[3]; }
