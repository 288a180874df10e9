// c = a + b, with memory of the stream and two streams that meet at an event.
#include "check.h"

#include <vector>

__global__ void add(const float* a, const float* b, float* c, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}

int main() {
    const int count = 10007;
    const size_t bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), c(count);
    for (int i = 0; i < count; ++i) {
        a[i] = i * 0.5f;
        b[i] = 3.0f - i;
    }
    hipStream_t stream, other;
    hipEvent_t begin, end;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    CHECK(hipEventCreate(&begin));
    CHECK(hipEventCreate(&end));

    float *device_a, *device_b, *device_c;
    CHECK(hipMallocAsync(&device_a, bytes, stream));
    CHECK(hipMallocAsync(&device_b, bytes, stream));
    CHECK(hipMallocAsync(&device_c, bytes, stream));
    CHECK(hipMemcpyAsync(device_a, a.data(), bytes, hipMemcpyHostToDevice, stream));
    CHECK(hipMemcpyAsync(device_b, b.data(), bytes, hipMemcpyHostToDevice, stream));
    CHECK(hipEventRecord(begin, stream));
    add<<<(count + 255) / 256, 256, 0, stream>>>(device_a, device_b, device_c, count);
    CHECK(hipGetLastError());
    CHECK(hipEventRecord(end, stream));
    CHECK(hipStreamWaitEvent(other, end, 0));
    CHECK(hipMemcpyAsync(c.data(), device_c, bytes, hipMemcpyDeviceToHost, other));
    CHECK(hipStreamSynchronize(other));
    for (int i = 0; i < count; ++i) EXPECT(c[i] == a[i] + b[i]);

    float milliseconds = -1;
    CHECK(hipEventSynchronize(end));
    CHECK(hipEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0);
    CHECK(hipFreeAsync(device_a, stream));
    CHECK(hipFreeAsync(device_b, stream));
    CHECK(hipFreeAsync(device_c, stream));
    CHECK(hipStreamDestroy(other));
    CHECK(hipStreamDestroy(stream));
    std::printf("vector_add: %d sums\n", count);
}
