// One wave's registers as far as they are known: each bit 0, 1 or unknown, in every lane. What an instruction makes of
// them is what the embedded device makes of them, an unknown bit being one of its undefined bits: the two cannot differ
// about an instruction.
//
// Only registers that may decide an LDS address, a branch or EXEC are kept. What memory holds is unknown, but for the
// workgroup's size where the runtime puts it. Floating-point results are unknown.
#pragma once

#include "peacemaker/certify/flow.h"
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/wave.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace pm::certify {

/// A word some bits of which are unknown; those are 0 in `value`.
struct PartlyKnown {
    std::uint32_t value = 0, unknown = 0;

    bool operator==(const PartlyKnown&) const = default;
};

/// The registers that a LaneRun keeps, one after the other: a scalar one takes one word, a vector one twice kLanes:
/// what each lane holds if it is active, and if it is not. They differ only where it is not known which.
using LaneValues = std::vector<PartlyKnown>;

/// Whether every value that `b` stands for is one of `a`.
bool covers(const LaneValues& a, const LaneValues& b);
/// What either may hold.
LaneValues joined(const LaneValues& a, const LaneValues& b);

/// The workgroup that is launched, as far as the analysis depends on it.
struct Launched {
    std::array<std::uint32_t, 3> block{1, 1, 1}; // work-items
    std::optional<std::uint32_t> dynamic_lds;    // bytes

    std::uint32_t work_items() const { return block[0] * block[1] * block[2]; }
    std::uint32_t waves() const { return (work_items() + emu::kLanes - 1) / emu::kLanes; }
};

/// The bytes that one lane of an LDS instruction reads or writes: one run, or two.
struct LaneAccess {
    std::uint32_t lane = 0;
    bool certain = false; // the lane is active for sure
    PartlyKnown address;  // the register's
};

/// What an LDS instruction does in one wave.
struct LdsAccess {
    bool known = false; // else any address at all
    bool reads = false, writes = false, atomic = false, returns = false;
    std::uint32_t bytes = 0;            // of one run
    std::vector<std::uint32_t> offsets; // one a run
    std::vector<LaneAccess> lanes;      // those that may be active
};

/// Which way a branch goes; both where that is not known.
struct Ways {
    bool taken = false, not_taken = false;
};

/// Runs single instructions of a kernel on partly known registers.
class LaneRun {
public:
    /// All must outlive this.
    LaneRun(const Chip& chip, const Kernel& kernel, const Code& code, const emu::Program& program,
            const Launched& launched);

    /// The registers of wave `wave` at the kernel's entry.
    LaneValues at_entry(std::uint32_t wave);

    void load(const LaneValues& values);
    LaneValues store() const;

    /// Executes a step that is no branch, barrier or end.
    void run(std::uint32_t step);
    /// Of a conditional branch, with the registers loaded.
    Ways ways(std::uint32_t step) const;
    /// Takes the registers to be such that the branch goes that way.
    void assume(std::uint32_t step, bool taken);
    /// Of a step that touches LDS, with the registers loaded.
    LdsAccess access(std::uint32_t step) const;

    /// The scalar registers that are kept, each with its place in LaneValues.
    const std::vector<std::pair<Register, std::size_t>>& scalars() const { return scalars_; }

private:
    enum class Action : std::uint8_t { kSkip, kRun, kSaveExec, kArgument, kForget };
    struct Plan {
        Action action = Action::kSkip;
        const emu::Inst* inst = nullptr;
        std::optional<emu::Inst> redirected; // EXEC as a result stands beside it
        bool narrows_exec = false;           // lanes that are active after it were so before
        bool lane_crossing = false;
    };

    struct Condition {
        Register r = isa::kScc;
        bool taken_at_zero = false;
    };
    std::optional<Condition> condition(std::uint32_t step) const;

    Plan plan_of(std::uint32_t step) const;
    void find_insts();
    void find_kept();
    bool is_executed(std::uint32_t step) const;
    void place_arguments();

    PartlyKnown scalar(Register r) const;
    void set(Register r, PartlyKnown value);
    void set_lane(Register r, std::uint32_t lane, PartlyKnown value);
    PartlyKnown lane(Register r, std::uint32_t lane) const;
    void refresh(Register r);
    void set_exec(PartlyKnown now, bool narrows);
    void take_all_inactive();

    void forget(Register r);
    void forget(const Effects& effects);
    void execute(const emu::Inst& inst);
    void run_vector(std::uint32_t step, const Plan& plan);
    void run_scalar(std::uint32_t step, const Plan& plan);
    void run_save_exec(const Plan& plan);
    void run_argument(std::uint32_t step, const Plan& plan);
    std::optional<PartlyKnown> same_in_all_lanes(Register r) const;

    const Chip& chip_;
    const Kernel& kernel_;
    const Code& code_;
    const emu::Program& program_;
    const Launched& launched_;
    std::vector<const emu::Inst*> insts_; // by step; null where the program has none
    std::vector<Plan> plans_;
    std::vector<std::pair<Register, std::size_t>> scalars_, vectors_;
    // What lanes hold if they are inactive, by vector register, where EXEC is not known; the wave's own registers say
    // what they hold if they are active.
    std::vector<std::array<PartlyKnown, emu::kLanes>> idle_;
    std::size_t words_ = 0;
    std::vector<bool> is_kept_; // by register
    std::vector<std::optional<std::uint8_t>> arguments_, packet_;
    std::unique_ptr<emu::Worker> worker_;
    std::unique_ptr<emu::Wave> wave_;
};

} // namespace pm::certify
