// Writes over its own arguments, as setproctitle does, before it uses OpenMP.
#include <string.h>

int main(int argc, char **argv) {
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    memset(argv[0], 'x', (size_t)(end - argv[0]));
#pragma omp parallel
    {
    }
    return 0;
}
