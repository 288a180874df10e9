#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

using pm::hip::api;
using pm::hip::Runtime;
using pm::hip::Work;

PM_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode,
                                         char* pLogBuffer, size_t bufferSize) {
    return api([&](Runtime& runtime) {
        if (pGraphExec == nullptr) return hipErrorInvalidValue;
        *pGraphExec = nullptr;
        if (pErrorNode != nullptr) *pErrorNode = nullptr;
        if (pLogBuffer != nullptr && bufferSize != 0) *pLogBuffer = '\0';
        const pm::hip::Graph* found = runtime.graphs.find(graph);
        if (found == nullptr) return hipErrorInvalidHandle;
        *pGraphExec = runtime.executables.add(*found);
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        const pm::hip::Graph* found = runtime.executables.find(graphExec);
        if (found == nullptr) return hipErrorInvalidHandle;
        // A copy of its own, as the graph may be destroyed before a capture that holds this launch is replayed.
        return runtime.enqueue(stream, [work = found->work](Runtime& r) {
            for (const Work& item : work)
                if (const hipError_t error = item(r); error != hipSuccess) return error;
            return hipSuccess;
        });
    });
}

PM_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec) {
    return api(
        [&](Runtime& runtime) { return runtime.executables.remove(graphExec) ? hipSuccess : hipErrorInvalidHandle; });
}

PM_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
    return api([&](Runtime& runtime) { return runtime.graphs.remove(graph) ? hipSuccess : hipErrorInvalidHandle; });
}
