// The gates: what each one checks, in one table, and what they share while one registration (or control) is judged on
// one chip.
//
//   GateContext context(subject, session, options);
//   for (GateResult& result : run_gates(context, {1, 2, 3, 4, 5}, on_start, on_end)) ...
//
// A gate adds findings, reasons why it could not ask, and the number of comparisons it made; finish() makes the status
// of them.
#pragma once

#include "contract/gates/certificate.h"
#include "contract/gates/launching.h"
#include "contract/limits/limits.h"
#include "contract/oracle/oracle.h"
#include "contract/report/outcome.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// What is judged: a contract, and the object that is said to meet it. A control's subject is its registration's, with
/// the plant made.
struct Subject {
    std::string name; // for messages: the registration, or the control
    const Registry* registry = nullptr;
    Kernel kernel; // the contract
    const pm::Chip* chip = nullptr;
    const pm::CodeObject* object = nullptr;  // null where it could not be read
    std::string object_error;                // why
    ObjectOfKernel object_of_kernel;         // objects of replaced kernels
    std::vector<Certificate> certificates;   // of the launched kernels; none where gate 1 does not demand them
    std::vector<std::string> record_symbols; // gate 5, a launch each: the symbol whose record it is compared with
    std::string toolchain;                   // whose records gate 5 compares with
    const records::RecordFile* records = nullptr;
    const Fingerprint* fingerprint = nullptr;
};

struct GateOptions {
    std::uint64_t seed = 1;
    bool thorough = false;           // no launch budget
    bool gate_2_follows = true;      // what gate 1's launch showed has a gate to be judged by
    bool first_finding_only = false; // a gate ends once it has a finding: it decides a control
};

/// What the gates of one subject share: loaded modules, plans, inputs, and results that are computed once.
class GateContext {
public:
    GateContext(const Subject& subject, Session& session, GateOptions options)
        : subject(subject), session(session), options(options) {}

    const Subject& subject;
    Session& session;
    const GateOptions options;

    /// What the device found during gate 1's launch.
    std::vector<Finding> held;

    /// Indices of the shapes: the smallest, the smallest with two workgroups, the ragged ones, the first served one.
    std::size_t smallest_shape();
    std::optional<std::size_t> smallest_shape_of_two_workgroups();
    std::vector<std::size_t> memory_shapes();

    const Shape& shape(std::size_t index) const { return subject.kernel.shapes[index]; }
    /// The launch set of the shape. Error: as plan_kernel.
    const pm::Result<ProgramPlan>& plan(std::size_t shape);
    /// The replaced chain for the shape. Error: as plan_chain.
    const pm::Result<ProgramPlan>& chain(std::size_t shape);
    /// The random inputs of the shape; the same for every gate.
    const Inputs& inputs(std::size_t shape, std::uint64_t seed);
    /// The oracle's bounds for those inputs. Error: no oracle of that name, or what it says.
    const pm::Result<OracleOutput>& bounds(std::size_t shape, std::uint64_t seed);
    /// The replaced chain's outputs for those inputs; launches it when first asked.
    const std::optional<Outputs>& chain_outputs(std::size_t shape, std::uint64_t seed, LaunchTrouble& trouble);

    /// The oracle's bounds for other inputs of the shape.
    pm::Result<OracleOutput> bounds_of(std::size_t shape, const Inputs& inputs) const;
    /// Runs a launch set of the shape (its own or the chain's) once, on buffers of exactly their size.
    std::optional<Outputs> run(const ProgramPlan& plan, std::size_t shape, const Inputs& inputs,
                               LaunchTrouble& trouble);

    /// `NAME, shape m=1 n=37 k=128 (seed 1), on gfx1151`: the head of a message.
    std::string where(std::size_t shape, const Inputs& inputs) const;

private:
    using Key = std::pair<std::size_t, std::uint64_t>;
    std::map<std::size_t, pm::Result<ProgramPlan>> plans_, chains_;
    std::map<Key, Inputs> inputs_;
    std::map<Key, pm::Result<OracleOutput>> bounds_;
    std::map<Key, std::optional<Outputs>> chain_outputs_;
};

/// One gate. Numbers are never reused.
struct Gate {
    std::uint32_t number = 0;
    std::string_view name;
    std::string_view why;
    void (*run)(GateContext& context, GateResult& result);
};

/// Every gate, in order.
std::span<const Gate> gates();
const Gate* find_gate(std::uint32_t number);

/// Whether the gate has seen enough: it has a finding, and the first one decides.
bool decided(const GateContext& context, const GateResult& result);

/// Adds `trouble` to `result`. Returns whether the outputs of the launch can be used.
bool add_trouble(GateResult& result, LaunchTrouble&& trouble);
void add_finding(GateResult& result, std::string_view kind, std::string text, std::string source = {});

/// The status that findings, reasons and checks make: fail, else unchecked, else pass; a gate without a check is
/// unchecked. Of findings of one kind the first few stay, and the last of them says how many there were.
void finish(GateResult& result);

/// Runs the gates of `numbers` in order. Once gate 1 has not passed, gates 2 to 4 are unchecked: there is nothing to
/// launch. `on_start` and `on_end` are called around each gate, so that a crash can be told from what came before it;
/// where `on_end` says false, the gates behind are not run and have no result.
std::vector<GateResult> run_gates(GateContext& context, const std::vector<std::uint32_t>& numbers,
                                  const std::function<void(std::uint32_t)>& on_start,
                                  const std::function<bool(const GateResult&)>& on_end);

namespace gate {
void run_load(GateContext& context, GateResult& result);
void run_memory(GateContext& context, GateResult& result);
void run_shapes(GateContext& context, GateResult& result);
void run_edges(GateContext& context, GateResult& result);
void run_limits(GateContext& context, GateResult& result);
} // namespace gate

} // namespace hkc
