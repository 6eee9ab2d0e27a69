// Uses MPI only where it is there, as some libraries do: the status says whether it is.
extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));
extern int PMPI_Init(int *argc, char ***argv) __attribute__((weak));

int main(void) {
    return (MPI_Init != 0) + 2 * (PMPI_Init != 0);
}
