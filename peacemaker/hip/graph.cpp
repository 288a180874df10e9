#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

#include <algorithm>

namespace pm::hip {
namespace {

hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph) {
    return api([&](Runtime& runtime) {
        if (executable == nullptr) return hipErrorInvalidValue;
        *executable = nullptr;
        const Graph* found = runtime.graphs.find(graph);
        if (found == nullptr) return hipErrorInvalidHandle;
        *executable = runtime.executables.add(*found);
        return hipSuccess;
    });
}

/// Whether `fresh` may take the place of `old`: as many nodes, of the same kinds in the same order. A kernel node may
/// launch another kernel.
hipGraphExecUpdateResult compare(const Graph& old, const Graph& fresh) {
    if (old.work.size() != fresh.work.size()) return hipGraphExecUpdateErrorTopologyChanged;
    const bool same = std::equal(old.work.begin(), old.work.end(), fresh.work.begin(),
                                 [](const Work& a, const Work& b) { return a.kind == b.kind; });
    return same ? hipGraphExecUpdateSuccess : hipGraphExecUpdateErrorNodeTypeChanged;
}

} // namespace
} // namespace pm::hip

using pm::hip::api;
using pm::hip::Runtime;
using pm::hip::Work;

PM_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode,
                                         char* pLogBuffer, size_t bufferSize) {
    if (pErrorNode != nullptr) *pErrorNode = nullptr;
    if (pLogBuffer != nullptr && bufferSize != 0) *pLogBuffer = '\0';
    return pm::hip::instantiate(pGraphExec, graph);
}

PM_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                                  unsigned long long /*flags*/) {
    return pm::hip::instantiate(pGraphExec, graph);
}

PM_EXPORT hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                                        hipGraphExecUpdateResult* updateResult_out) {
    return api([&](Runtime& runtime) {
        if (updateResult_out == nullptr) return hipErrorInvalidValue;
        *updateResult_out = hipGraphExecUpdateError;
        if (hErrorNode_out != nullptr) *hErrorNode_out = nullptr;
        pm::hip::Graph* old = runtime.executables.find(hGraphExec);
        const pm::hip::Graph* fresh = runtime.graphs.find(hGraph);
        if (old == nullptr || fresh == nullptr) return hipErrorInvalidHandle;
        *updateResult_out = pm::hip::compare(*old, *fresh);
        if (*updateResult_out != hipGraphExecUpdateSuccess) return hipErrorGraphExecUpdateFailure;
        *old = *fresh;
        return hipSuccess;
    });
}

PM_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        const pm::hip::Graph* found = runtime.executables.find(graphExec);
        if (found == nullptr) return hipErrorInvalidHandle;
        // A copy of its own, as the graph may be destroyed before a capture that holds this launch is replayed.
        return runtime.enqueue(stream, {hipGraphNodeTypeGraph,
                                        [work = found->work](Runtime& r) {
                                            for (const Work& item : work)
                                                if (const hipError_t error = item.run(r); error != hipSuccess)
                                                    return error;
                                            return hipSuccess;
                                        },
                                        {}});
    });
}

PM_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec) {
    return api(
        [&](Runtime& runtime) { return runtime.executables.remove(graphExec) ? hipSuccess : hipErrorInvalidHandle; });
}

PM_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
    return api([&](Runtime& runtime) { return runtime.graphs.remove(graph) ? hipSuccess : hipErrorInvalidHandle; });
}

/// An executable graph is ready as it is.
PM_EXPORT hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        const bool good = runtime.executables.find(graphExec) != nullptr && runtime.valid(stream);
        return good ? hipSuccess : hipErrorInvalidHandle;
    });
}
