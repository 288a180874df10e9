// Gate 4: extreme inputs, the smallest legal alignment, other streams, graph replays. Nothing of it may change what
// comes out.

#include "contract/gates/compare.h"
#include "contract/gates/edge_shapes.h"
#include "contract/gates/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hkc::gate {
namespace {

constexpr int kReplays = 3;

/// What every step of this gate needs. Steps return whether the gate can go on.
struct Edges {
    GateContext& context;
    GateResult& result;
    std::size_t shape;
    const ProgramPlan& plan;

    const Kernel& kernel() const { return context.subject.kernel; }

    bool stop(const pm::Error& error, const std::string& where) const {
        LaunchTrouble trouble;
        note_error(context.session, error, where, trouble);
        return add_trouble(result, std::move(trouble));
    }

    void judge_bounds(const Outputs& outputs, const OracleOutput& bounds, const std::string& where) const {
        for (const BufferPlan& buffer : plan.buffers) {
            const auto of_buffer = bounds.find(buffer.name);
            if (!buffer.is_output() || of_buffer == bounds.end()) continue;
            auto outside = outside_bounds(buffer, outputs.at(buffer.name), of_buffer->second, where);
            if (!outside) {
                result.unchecked.push_back(outside.error().text);
                continue;
            }
            ++result.checks;
            result.findings.insert(result.findings.end(), outside->begin(), outside->end());
        }
    }

    /// The same launch under other circumstances: the same bytes, or the same bounds where the contract does not say
    /// bitwise.
    void judge_same(const Outputs& outputs, const Outputs& base, std::uint64_t seed, std::string_view kind,
                    const std::string& where) const {
        if (!kernel().bitwise) {
            const auto& bounds = context.bounds(shape, seed);
            if (bounds) judge_bounds(outputs, *bounds, where);
            return;
        }
        for (const BufferPlan& buffer : plan.buffers) {
            if (!buffer.is_output()) continue;
            ++result.checks;
            if (auto finding = differing(kind, buffer, outputs.at(buffer.name), base.at(buffer.name), Equality::kBytes,
                                         where, "the same launch on the default stream"))
                result.findings.push_back(std::move(*finding));
        }
    }

    bool extreme_inputs(const Inputs& inputs) const {
        const std::string where = context.where(shape, inputs);
        LaunchTrouble trouble;
        const auto outputs = context.run(plan, shape, inputs, trouble);
        if (!add_trouble(result, std::move(trouble)) || !outputs) return false;
        if (const auto bounds = context.bounds_of(shape, inputs))
            judge_bounds(*outputs, *bounds, where);
        else
            result.unchecked.push_back(fmt::format("{}: oracle: {}", where, bounds.error().text));

        if (kernel().replaces.empty() || kernel().match != Match::kBytes) return true;
        const auto& chain = context.chain(shape);
        if (!chain) {
            result.unchecked.push_back(fmt::format("{}: the replaced chain: {}", where, chain.error().text));
            return true;
        }
        LaunchTrouble chain_trouble;
        const auto replaced = context.run(*chain, shape, inputs, chain_trouble);
        if (!add_trouble(result, std::move(chain_trouble)) || !replaced) return false;
        const Equality equality = kernel().nan_bytes ? Equality::kBytes : Equality::kAnyNanEqual;
        for (const BufferPlan& buffer : plan.buffers) {
            if (!buffer.is_output()) continue;
            ++result.checks;
            if (auto finding = differing(kind::kDiffersFromReplaced, buffer, outputs->at(buffer.name),
                                         replaced->at(buffer.name), equality, where, chain->who))
                result.findings.push_back(std::move(*finding));
        }
        return true;
    }

    bool alignments(const Inputs& inputs, const Outputs& base) const {
        std::uint32_t steps = 1;
        for (const BufferPlan& buffer : plan.buffers) steps = std::max(steps, alignment_steps(buffer.align));
        for (std::uint32_t step = 1; step <= steps; ++step) {
            if (step > 1 && decided(context, result)) return false;
            // Guards tell what was written, exact allocations what was read: both where the alignment is smallest.
            if (step % 2 == 1 && !aligned(inputs, base, {Placement::kGuarded, step})) return false;
            if ((step % 2 == 0 || step == 1) && !aligned(inputs, base, {Placement::kExact, step})) return false;
        }
        return true;
    }

    bool aligned(const Inputs& inputs, const Outputs& base, const BufferOptions& options) const {
        const std::string where =
            options.step == 1 ? context.where(shape, inputs) + ", buffers at their smallest alignment"
                              : fmt::format("{}, buffers at another multiple of their smallest alignment (step {})",
                                            context.where(shape, inputs), options.step);
        const auto prepared = Prepared::create(context.session, plan, inputs, options);
        if (!prepared) return stop(prepared.error(), where);
        LaunchTrouble trouble;
        const auto outputs = run_once(context.session, *prepared, Poison::kFirst, where, trouble);
        if (!add_trouble(result, std::move(trouble)) || !outputs) return false;
        auto changed = prepared->changed(where);
        if (!changed) return stop(changed.error(), where);
        result.findings.insert(result.findings.end(), changed->begin(), changed->end());
        result.checks += prepared->checks_of_changed();
        judge_same(*outputs, base, context.options.seed, kind::kNotRepeatable, where);
        return true;
    }

    /// Reads a launch that is done. Nothing where it was stopped.
    std::optional<Outputs> read(const Prepared& prepared, const std::string& where) const {
        auto outputs = prepared.read_outputs();
        if (!outputs) {
            (void)stop(outputs.error(), where);
            return std::nullopt;
        }
        LaunchTrouble trouble;
        context.session.take_report(trouble);
        for (Finding& finding : trouble.findings) finding.text = fmt::format("{}: {}", where, finding.text);
        if (!add_trouble(result, std::move(trouble))) return std::nullopt;
        return std::move(*outputs);
    }

    bool streams(const Inputs& first_inputs, const Outputs& first, const Inputs& second_inputs,
                 const Outputs& second) const;
    bool graph(const Inputs& inputs, const Outputs& base) const;
};

/// A stream with an owner.
class Stream {
public:
    static pm::Result<Stream> create(const HipApi& api) {
        Stream stream(api);
        if (const hipError_t e = api.hipStreamCreate(&stream.stream_); e != hipSuccess)
            return pm::Error{hip_error_text(api, "hipStreamCreate", e)};
        return stream;
    }
    Stream(Stream&& other) noexcept : api_(other.api_), stream_(std::exchange(other.stream_, nullptr)) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    Stream& operator=(Stream&&) = delete;
    ~Stream() {
        if (stream_ != nullptr) (void)api_->hipStreamDestroy(stream_);
    }
    hipStream_t get() const { return stream_; }

private:
    explicit Stream(const HipApi& api) : api_(&api) {}
    const HipApi* api_;
    hipStream_t stream_ = nullptr;
};

/// An instantiated graph with an owner.
class Graph {
public:
    /// Captures what `enqueue` puts on `stream`. Error: the HIP call that failed.
    template <typename Enqueue>
    static pm::Result<Graph> capture(const HipApi& api, hipStream_t stream, const Enqueue& enqueue) {
        Graph graph(api);
        if (const hipError_t e = api.hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal); e != hipSuccess)
            return pm::Error{hip_error_text(api, "hipStreamBeginCapture", e)};
        const pm::Result<void> queued = enqueue();
        // A capture must be ended whatever happened within it.
        const hipError_t ended = api.hipStreamEndCapture(stream, &graph.graph_);
        if (!queued) return queued.error().with("during capture");
        if (ended != hipSuccess) return pm::Error{hip_error_text(api, "hipStreamEndCapture", ended)};
        if (const hipError_t e = api.hipGraphInstantiate(&graph.exec_, graph.graph_, nullptr, nullptr, 0);
            e != hipSuccess)
            return pm::Error{hip_error_text(api, "hipGraphInstantiate", e)};
        return graph;
    }
    Graph(Graph&& other) noexcept
        : api_(other.api_), graph_(std::exchange(other.graph_, nullptr)), exec_(std::exchange(other.exec_, nullptr)) {}
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Graph& operator=(Graph&&) = delete;
    ~Graph() {
        if (exec_ != nullptr) (void)api_->hipGraphExecDestroy(exec_);
        if (graph_ != nullptr) (void)api_->hipGraphDestroy(graph_);
    }
    hipGraphExec_t exec() const { return exec_; }

private:
    explicit Graph(const HipApi& api) : api_(&api) {}
    const HipApi* api_;
    hipGraph_t graph_ = nullptr;
    hipGraphExec_t exec_ = nullptr;
};

bool Edges::streams(const Inputs& first_inputs, const Outputs& first, const Inputs& second_inputs,
                    const Outputs& second) const {
    const HipApi& api = context.session.api();
    const std::string where = context.where(shape, first_inputs) + ", on a stream";
    const auto stream = Stream::create(api);
    if (!stream) return stop(stream.error(), where);
    const auto other_stream = Stream::create(api);
    if (!other_stream) return stop(other_stream.error(), where);
    const auto one = Prepared::create(context.session, plan, first_inputs, {});
    if (!one) return stop(one.error(), where);
    const auto two = Prepared::create(context.session, plan, second_inputs, {});
    if (!two) return stop(two.error(), where);

    if (const auto filled = one->fill(Poison::kFirst); !filled) return stop(filled.error(), where);
    if (const auto queued = one->enqueue(stream->get()); !queued) return stop(queued.error(), where);
    if (const auto waited = one->wait(stream->get()); !waited) return stop(waited.error(), where);
    const auto alone = read(*one, where);
    if (!alone) return false;
    judge_same(*alone, first, context.options.seed, kind::kStreamDiffers, where);

    const std::string both = context.where(shape, first_inputs) + ", on two streams at once";
    for (const auto* prepared : {&*one, &*two})
        if (const auto filled = prepared->fill(Poison::kSecond); !filled) return stop(filled.error(), both);
    if (const auto queued = one->enqueue(stream->get()); !queued) return stop(queued.error(), both);
    if (const auto queued = two->enqueue(other_stream->get()); !queued) return stop(queued.error(), both);
    if (const auto waited = one->wait(stream->get()); !waited) return stop(waited.error(), both);
    if (const auto waited = two->wait(other_stream->get()); !waited) return stop(waited.error(), both);
    const auto first_again = read(*one, both);
    if (!first_again) return false;
    const auto second_again = read(*two, both);
    if (!second_again) return false;
    judge_same(*first_again, first, context.options.seed, kind::kStreamDiffers, both);
    judge_same(*second_again, second, context.options.seed + 1, kind::kStreamDiffers, both);
    return true;
}

bool Edges::graph(const Inputs& inputs, const Outputs& base) const {
    const std::string where = context.where(shape, inputs) + ", replayed from a graph";
    const auto stream = Stream::create(context.session.api());
    if (!stream) return stop(stream.error(), where);
    const auto prepared = Prepared::create(context.session, plan, inputs, {});
    if (!prepared) return stop(prepared.error(), where);
    // Loads the module: a capture may record launches alone.
    for (const LaunchPlan& launch : plan.launches)
        if (const auto function = context.session.function(*launch.object, launch.symbol); !function)
            return stop(function.error(), where);
    const std::uint64_t launches = context.session.launches;
    const auto graph =
        Graph::capture(context.session.api(), stream->get(), [&] { return prepared->enqueue(stream->get()); });
    context.session.launches = launches; // a captured launch has not run
    if (!graph) return stop(graph.error(), where);
    for (int replay = 0; replay < kReplays; ++replay) {
        const std::string head = fmt::format("{}, replay {}", where, replay + 1);
        if (const auto filled = prepared->fill(replay % 2 == 0 ? Poison::kFirst : Poison::kSecond); !filled)
            return stop(filled.error(), head);
        if (const auto queued = prepared->replay(graph->exec(), stream->get()); !queued)
            return stop(queued.error(), head);
        if (const auto waited = prepared->wait(stream->get()); !waited) return stop(waited.error(), head);
        const auto outputs = read(*prepared, head);
        if (!outputs) return false;
        judge_same(*outputs, base, context.options.seed, kind::kGraphDiffers, head);
    }
    return true;
}

/// Returns whether the gate can go on.
bool run_shape(GateContext& context, GateResult& result, std::size_t shape) {
    const auto& plan = context.plan(shape);
    const Edges edges{context, result, shape, *plan};
    const Inputs& inputs = context.inputs(shape, context.options.seed);
    for (const Inputs& extreme : edge_inputs(*plan, inputs, context.options.seed))
        if (decided(context, result) || !edges.extreme_inputs(extreme)) return false;

    const Inputs& second_inputs = context.inputs(shape, context.options.seed + 1);
    LaunchTrouble trouble;
    const auto first = context.run(*plan, shape, inputs, trouble);
    const auto second = first ? context.run(*plan, shape, second_inputs, trouble) : std::nullopt;
    if (!add_trouble(result, std::move(trouble)) || !second) return false;
    return edges.alignments(inputs, *first) && edges.streams(inputs, *first, second_inputs, *second) &&
           edges.graph(inputs, *first);
}

} // namespace

void run_edges(GateContext& context, GateResult& result) {
    std::vector<SizedShape> sized;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < context.subject.kernel.shapes.size(); ++i) {
        const auto& plan = context.plan(i);
        if (!plan) {
            result.unchecked.push_back(fmt::format("shape {}: {}", shape_text(context.shape(i)), plan.error().text));
            continue;
        }
        sized.push_back({&context.shape(i), plan->bytes()});
        indices.push_back(i);
    }
    if (sized.empty()) return;
    for (const std::size_t place : edge_shapes(sized))
        if (decided(context, result) || !run_shape(context, result, indices[place])) return;
}

} // namespace hkc::gate
