// One wave's architectural state, with what the checks know of each register.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/emu/inst.h"
#include "peacemaker/emu/memory.h"
#include "peacemaker/emu/report.h"
#include "peacemaker/isa/counters.h"
#include "peacemaker/object/code_object.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pm::emu {

/// Bits of a register's state; 0 means that an instruction may use it without a further look.
enum RegisterState : std::uint8_t {
    kUndefinedBits = 1, // the shadow holds a mask of undefined bits
    kInFlight = 2,      // an asynchronous result has not been waited for in some lane
    kOutside = 4,       // beyond the wave's allocation
};

using isa::Counter;
using isa::ReturnClass;

/// One outstanding operation and the registers that it will write.
struct Outstanding {
    ReturnClass cls{};
    Register first = isa::kNull;
    std::uint8_t count = 0; // registers
    std::uint32_t lanes = 0;
    isa::Half half = isa::Half::kWhole;
    std::uint32_t inst = 0;   // index of the instruction that issued it
    std::uint32_t mask = ~0u; // of the registers, from the first on
    /// Of a wave64, from lane 32 on.
    std::uint32_t lanes_upper = 0;
    bool to_lds = false;    // a load from memory that fills LDS and no register
    std::uint32_t step = 0; // Wave::step() when it was issued
};

/// Outstanding operations of one counter, oldest first. No chip counts beyond 63.
inline constexpr std::uint32_t kMostOutstanding = 64;
struct OutstandingList {
    std::uint32_t size = 0;
    std::array<Outstanding, kMostOutstanding> of;
};

enum class WaveStatus : std::uint8_t { kRunning, kAtBarrier, kEnded, kStopped };
/// Steps that a barrier takes in one instruction or two.
enum class BarrierStep : std::uint8_t { kSignalAndWait, kSignal, kWait };

/// Scratch of one wave: 32-bit word w of lane l is words[w * 32 + l]; `undefined` likewise.
struct Scratch {
    std::uint32_t bytes = 0; // a lane
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> undefined;
};

struct WorkgroupState;

/// Undefined bits stored to an allocation that had none: kept apart until the launch is over, since the allocation gets
/// its shadow from one thread alone. Not detected: a read of them later in the same launch.
struct LateShadow {
    Allocation* allocation = nullptr;
    std::uint64_t address = 0;
    std::array<std::uint8_t, 4> undefined{};
    std::uint32_t bytes = 0; // 1..4
};

/// Findings by instruction and kind, each with the number of the workgroup that showed it first.
struct NumberedFinding {
    std::uint64_t workgroup = 0;
    Finding finding;
};
using FindingMap = std::map<std::pair<std::uint32_t, FindingKind>, NumberedFinding>;

class AccessLog;
class Hostcall;

/// What all waves of one host thread share: the program, the memory, and where findings go.
struct Worker {
    const Chip* chip = nullptr;
    const Program* program = nullptr;
    Memory* memory = nullptr;
    std::string kernel;
    std::uint64_t code_address = 0; // of the kernel's first instruction
    std::uint64_t kernarg_address = 0;
    std::uint64_t kernarg_supplied = 0; // bytes that the caller gave
    const Kernel* descriptor = nullptr;
    std::uint64_t max_instructions = 0;
    Hostcall* hostcall = nullptr;           // of the launch; null where the kernel asks for none
    std::vector<std::uint64_t> executed;    // an instruction
    std::vector<Allocation*> cache;         // an instruction: the allocation it last used
    AccessLog* accesses = nullptr;          // of the launch
    std::vector<std::uint32_t> last_access; // an instruction: its latest record in `accesses`
    FindingMap findings;
    std::vector<std::string> unsupported;
    std::vector<LateShadow> late_shadows;
    std::uint64_t lane_operations = 0;
};

/// A wave32, or the lower half of a wave64: lanes 0 to 31 and all that the wave has once. The upper half of a wave64
/// is a Wave, too, of which the lanes alone count; the scalar registers are lent to it before each instruction, with
/// EXEC's halves changed, so that exec() is that of its lanes.
struct alignas(64) Wave {
    std::uint32_t v[256][kLanes];
    std::uint32_t s[isa::kRegisterCount - isa::kScalar];
    std::uint8_t state[isa::kRegisterCount];

    std::uint32_t undefined_lanes[256];     // lanes with an undefined bit; kUndefinedBits says whether there is one
    std::uint32_t v_undefined[256][kLanes]; // their masks; a word counts in those lanes only
    std::uint32_t s_undefined[isa::kRegisterCount - isa::kScalar];
    std::uint32_t in_flight_low[256], in_flight_high[256]; // lanes

    std::uint32_t pc = 0, next = 0;
    WaveStatus status = WaveStatus::kRunning;
    std::uint32_t index = 0; // in the workgroup
    std::array<std::uint32_t, 3> workgroup{};
    std::uint64_t workgroup_number = 0;
    std::uint64_t instructions = 0;
    std::uint32_t barriers_signalled = 0, barriers_waited = 0;
    /// LDS bytes from `lds_low` to before `lds_high` hold all that the wave has accessed since it last signalled a
    /// barrier with no access outstanding.
    std::uint32_t lds_low = ~0u, lds_high = 0;
    Scratch scratch;
    std::array<OutstandingList, isa::kCounters> outstanding;
    Worker* worker = nullptr;
    WorkgroupState* group = nullptr;
    Wave* upper = nullptr;        // of the lower half of a wave64
    Wave* lower = nullptr;        // of the upper half
    std::uint32_t first_lane = 0; // 32 in the upper half
    std::uint32_t issued = 0;     // of a wave64: bits of the return classes that this instruction has issued

    /// Lanes of the wave.
    std::uint32_t lanes() const { return upper != nullptr || lower != nullptr ? 2 * kLanes : kLanes; }
    /// A lane mask of the whole wave that begins in `r`.
    std::uint64_t whole_mask(Register r) const { return upper != nullptr ? scalar64(r) : scalar(r); }
    std::uint64_t whole_exec() const { return whole_mask(isa::kExecLo); }
    /// The lower half, which holds what the wave has once; of a wave32 itself.
    Wave& whole() { return lower != nullptr ? *lower : *this; }
    /// The half that holds a lane of the wave.
    Wave& half_of(std::uint32_t lane) { return lane < kLanes ? *this : *upper; }

    /// Tells an execution of an instruction from the wave's others; it wraps after 2^32.
    std::uint32_t step() const { return static_cast<std::uint32_t>(instructions); }
    std::uint32_t exec() const { return s[isa::kExecLo - isa::kScalar]; }
    /// Whether f32 subnormals count as zeros: bits 5:4 of the mode register.
    bool flushes_f32() const { return ((s[isa::kMode - isa::kScalar] >> 4) & 3u) == 0; }
    bool scc() const { return s[isa::kScc - isa::kScalar] != 0; }
    /// The mask of the undefined bits of a vector register in one lane.
    std::uint32_t undefined_word(Register r, std::uint32_t lane) const {
        return ((undefined_lanes[r] >> lane) & 1u) != 0 ? v_undefined[r][lane] : 0u;
    }
    std::uint32_t scalar(Register r) const { return s[r - isa::kScalar]; }
    std::uint64_t scalar64(Register r) const {
        return s[r - isa::kScalar] | static_cast<std::uint64_t>(s[r + 1 - isa::kScalar]) << 32;
    }
};

/// Records a fault of the instruction at `wave.pc`. `lane` is the first lane concerned.
void report(Wave& wave, FindingKind kind, std::uint32_t lane, std::uint64_t address, const std::string& detail);
/// Stops the launch: something is not modelled. The verdict of the run is unchecked.
void stop_unsupported(Wave& wave, const std::string& what);

/// Writes one scalar register. Writes to null vanish.
inline void set_scalar(Wave& wave, Register r, std::uint32_t value) {
    if (r != isa::kNull) wave.s[r - isa::kScalar] = value;
}

/// The value of a scalar or constant source; 0 for any other.
inline std::uint64_t scalar_value(const Wave& wave, const Source& source) {
    const std::uint64_t half = source.form == 'h' ? 0xffffu : ~std::uint64_t{0};
    if (source.kind == Source::Kind::kConstant) return source.value & half;
    if (source.kind != Source::Kind::kScalar) return 0;
    return source.form == '2' ? wave.scalar64(source.reg) : wave.scalar(source.reg) & half;
}

/// `v12` or `s[4]`, as assembly calls the register.
std::string register_name(Register r);

} // namespace pm::emu
