// A graph by stream capture, replayed, then updated to other arguments and replayed again.
#include "check.h"

__global__ void affine(int* value, int factor, int addend) {
    value[threadIdx.x] = value[threadIdx.x] * factor + addend;
}

hipGraph_t capture(hipStream_t stream, int* value, int factor, int addend) {
    hipGraph_t graph;
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    affine<<<1, 64, 0, stream>>>(value, factor, addend);
    affine<<<1, 64, 0, stream>>>(value, 1, 1);
    CHECK(hipStreamEndCapture(stream, &graph));
    return graph;
}

int main() {
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    int host[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    int* value;
    CHECK(hipMalloc(&value, sizeof host));
    CHECK(hipMemcpy(value, host, sizeof host, hipMemcpyHostToDevice));

    hipGraph_t first = capture(stream, value, 2, 0);
    hipGraphExec_t executable;
    CHECK(hipGraphInstantiate(&executable, first, nullptr, nullptr, 0));
    for (int i = 0; i < 3; ++i) CHECK(hipGraphLaunch(executable, stream)); // x -> 2x + 1
    hipGraph_t second = capture(stream, value, 3, 4);
    hipGraphNode_t node;
    hipGraphExecUpdateResult updated;
    CHECK(hipGraphExecUpdate(executable, second, &node, &updated));
    EXPECT(updated == hipGraphExecUpdateSuccess);
    CHECK(hipGraphLaunch(executable, stream)); // x -> 3x + 5
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipMemcpy(host, value, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) EXPECT(host[i] == 3 * (8 * i + 7) + 5);

    CHECK(hipGraphExecDestroy(executable));
    CHECK(hipGraphDestroy(first));
    CHECK(hipGraphDestroy(second));
    CHECK(hipFree(value));
    CHECK(hipStreamDestroy(stream));
    std::printf("graph_replay: 4 replays\n");
}
