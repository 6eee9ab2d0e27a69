// A stream that waits for an event of another one: in each round a kernel spins on the first stream for some milliseconds, and a kernel of the
// second stream waits for it. What the program prints a recording has: the waits, which take at least 90 % of the spinning.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t result) {
    if (result != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(result));
        exit(1);
    }
}

__global__ void spin(long long nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while ((long long)(now - begin) < nanoseconds);
}

__global__ void consume() {}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    const long long each = 20000000;
    cudaStream_t first, second;
    cudaEvent_t done;
    check(cudaStreamCreate(&first));
    check(cudaStreamCreate(&second));
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int round = 0; round < rounds; round++) {
        spin<<<1, 1, 0, first>>>(each);
        check(cudaEventRecord(done, first));
        check(cudaStreamWaitEvent(second, done, 0));
        consume<<<1, 1, 0, second>>>();
        check(cudaStreamSynchronize(second));
    }
    check(cudaDeviceSynchronize());
    printf("kernels %d waits %d wait_ns %lld\n", 2 * rounds, rounds, rounds * each);
}
