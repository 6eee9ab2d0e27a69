// Unified memory on a device: the host writes it, a kernel changes all of it, and the host reads it again, in each round. What the program
// prints a recording has at least: every page migrates to the device and back, after page faults of both.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t result) {
    if (result != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(result));
        exit(1);
    }
}

__global__ void change(double *data, long count) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (long)blockDim.x) data[i] = 2 * data[i] + 1;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    const long count = 8l << 20, bytes = count * (long)sizeof(double);
    double *data = nullptr, sum = 0;
    check(cudaMallocManaged(&data, bytes));
    for (int round = 0; round < rounds; round++) {
        for (long i = 0; i < count; i++) data[i] = i % 97;
        change<<<1024, 256>>>(data, count);
        check(cudaDeviceSynchronize());
        for (long i = 0; i < count; i++) sum += data[i];
    }
    check(cudaFree(data));
    printf("kernels %d migrated %ld sum %.0f\n", rounds, 2 * rounds * bytes, sum);
}
