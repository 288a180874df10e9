// What an instruction does to registers, counters and control flow, whether or not its arithmetic is modelled: all of
// it follows from LLVM MC's description and the family of the name.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/isa/counters.h"
#include "peacemaker/isa/disassembler.h"
#include "peacemaker/isa/registers.h"
#include "peacemaker/isa/units.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pm::certify {

using isa::Counter;
using isa::Half;
using isa::Register;
using isa::ReturnClass;

/// A run of registers, or one half of one.
struct Span {
    Register first = isa::kNull;
    std::uint8_t count = 0;
    Half half = Half::kWhole;
};

/// The registers that both name; nothing where there is none. Halves of a register are apart.
std::optional<Span> clash(const std::vector<Span>& a, const std::vector<Span>& b);

/// "counter <= most".
struct Wait {
    Counter counter{};
    std::uint32_t most = 0;
};

enum class Flow : std::uint8_t { kNext, kBranch, kConditional, kEnd, kUnknown };
enum class BarrierRole : std::uint8_t { kNone, kSignalAndWait, kSignal, kWait };

struct Effects {
    std::vector<Span> reads, writes; // writes at once
    /// The classes of one outstanding operation; a flat one has its two, and is done when both say so.
    std::vector<ReturnClass> issues;
    std::vector<Span> late;                       // what the operation writes when it is done
    bool touches_lds = false, writes_lds = false; // a flat one: may do so
    bool flat = false;
    bool reads_apertures = false; // where LDS lies among flat addresses, by the hardware register
    bool uses_scratch = false;
    bool gives_back_vgprs = false; // nothing but the end may follow
    std::vector<Wait> waits;
    Flow flow = Flow::kNext;
    BarrierRole barrier = BarrierRole::kNone;
    isa::Units units;
    bool is_scalar = false;   // computes workgroup-uniform results of workgroup-uniform sources
    std::string_view unknown; // why the analysis cannot follow it; empty where it can
};

Effects effects_of(const Chip& chip, const isa::Disassembler& disassembler, const llvm::MCInst& inst);

} // namespace pm::certify
