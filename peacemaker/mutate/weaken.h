// Every synchronising instruction of a kernel, weakened: what a check of waits, barriers and masks must notice.
//
//   for (const Mutant& mutant : *mutants_of(*object))
//       std::string bytes = patched(object->bytes, mutant.patch);
#pragma once

#include "peacemaker/mutate/mutate.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::mutate {

enum class Target : std::uint8_t {
    kWait,       // for loads, LDS and scalar operations: their results
    kStoreWait,  // for stores and exports alone
    kHazardWait, // for the pipeline: s_waitcnt_depctr, s_wait_alu, s_wait_event
    kBarrier,
    kExecMask,
    kClause
};
inline constexpr Target kTargets[] = {Target::kWait,    Target::kStoreWait, Target::kHazardWait,
                                      Target::kBarrier, Target::kExecMask,  Target::kClause};
/// "wait", "store wait", ..
std::string_view target_name(Target target);

/// "vmcnt(1)": what a wait leaves outstanding at most, by the name of the counter on its chip.
struct WaitCount {
    std::string counter;
    std::uint32_t most = 0;

    bool operator==(const WaitCount&) const = default;
};
/// What an instruction waits for, as its text tells; counts that wait for nothing are left out. Nothing for an
/// instruction that is no wait for a counter.
std::vector<WaitCount> wait_counts(std::string_view text);

/// One copy of the object with one thing weakened.
struct Mutant {
    std::string kernel;
    Target target{};
    std::uint64_t at = 0;    // bytes from the kernel's entry
    std::string instruction; // as llvm-objdump prints it; both, where a signal and its wait go
    std::string becomes;
    std::string source; // FILE:LINE where the object tells; else empty
    Patch patch;        // from the first byte that changes to the last
    /// What a wait no longer waits for, with the count that it had.
    std::vector<WaitCount> weakened;
};

/// By kernel and place:
/// - a wait becomes s_nop; each of its counts one more; of several counts, each is left out;
/// - a barrier becomes s_nop; on gfx12 its signal, its wait, and both where the one follows the other in a row;
/// - a write of EXEC that can narrow it keeps the lanes that were active; v_cmpx becomes s_nop;
/// - s_clause becomes s_nop.
/// Kernels are those whose name matches the glob. Error: none does, or one that cannot be decoded whole.
Result<std::vector<Mutant>> mutants_of(const CodeObject& object, std::string_view kernels = "*");

/// An index of mutants as files in a folder, as JSON; `names` are theirs. Ends with a newline.
std::string index_json(std::string_view file, const CodeObject& object, const std::vector<Mutant>& mutants,
                       const std::vector<std::string>& names);

} // namespace pm::mutate
