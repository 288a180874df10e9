// The lifted program: instructions with their operands resolved once, in the form that the execution loop reads.
#pragma once

#include "peacemaker/isa/operands.h"
#include "peacemaker/isa/registers.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pm::emu {

using isa::Register;

struct Wave;
struct Inst;
struct Row;

/// Executes one instruction on one wave: reads and writes its registers, sets `wave.next` for a jump.
using Handler = void (*)(Wave& wave, const Inst& inst);

/// Lanes of a wave32, and of each half of a wave64. Every vector register holds one 32-bit word a lane.
inline constexpr std::uint32_t kLanes = 32;

/// How a wave64 executes an instruction: once, for each half of its lanes, or once on the lanes of both.
enum class Pass : std::uint8_t { kOnce, kEachHalf, kBothHalves };

/// The arithmetic of a vector instruction on all 32 lanes, EXEC apart: sources a, b, c and result d are runs of 32
/// words (64-bit values: 32 low words, then 32 high ones). `mask` is the lane mask read (carry in, select); a lane mask
/// comes back (compare, carry out).
using Compute = std::uint32_t (*)(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                                  std::uint32_t* d, std::uint32_t mask);

/// A source operand, resolved.
struct Source {
    enum class Kind : std::uint8_t { kNone, kVector, kScalar, kConstant };
    Kind kind = Kind::kNone;
    char form = '1';            // as in Row::shape
    std::uint8_t registers = 1; // of a register source: how many it spans
    bool neg = false;
    bool abs_or_neg_hi = false;
    bool op_sel = false; // the high half
    bool op_sel_hi = false;
    isa::SdwaSelect select = isa::SdwaSelect::kDword;
    bool sign_extend = false; // of the selected part
    Register reg = isa::kNull;
    std::uint64_t value = 0;                 // kConstant
    const std::uint32_t* constant = nullptr; // kConstant: the value in every lane, low words then high ones
};

/// What a memory instruction needs beyond its registers.
struct MemoryOperands {
    Register address = isa::kNull; // VGPR (pair) or SGPR pair
    Register base = isa::kNull;    // SGPR pair, or resource
    Register data = isa::kNull;    // first register of the result or of what is stored
    Register offset_register = isa::kNull;
    Register operand = isa::kNull;     // LDS atomics and permutes: what is combined or moved
    Register second_data = isa::kNull; // the second of two stored or compared values
    std::uint8_t address_dwords = 0, base_dwords = 0, data_dwords = 0, offset_dwords = 0; // 0: there is none
    bool stores = false;                                                                  // data is read
    isa::Half data_half = isa::Half::kWhole;                                              // 16-bit data
    std::uint8_t operand_dwords = 0, second_dwords = 0;
    std::int64_t offset = 0;        // bytes; of two-address LDS forms elements
    std::int64_t second_offset = 0; // MUBUF: a constant in place of offset_register
    bool device_scope = false;      // coherent among workgroups: an atomic access, or a volatile one
    bool indexed = false;           // MUBUF: the first address register is an index
    std::uint8_t format = 0;        // MTBUF: of the data
};

/// So many places of Inst::touch hold a register always, the null register where there is no other.
inline constexpr std::uint32_t kFewTouched = 4;

/// A resolved instruction. `touch` names the registers whose state decides whether the checked path is needed: those
/// that are read, then the others that are written. What each step looks at comes first, in one line of the cache.
struct alignas(64) Inst {
    Handler handler = nullptr;
    Compute compute = nullptr;
    const Row* row = nullptr;
    std::array<Register, 12> touch{isa::kNull, isa::kNull, isa::kNull, isa::kNull};
    std::uint8_t touch_count = 0;
    std::uint8_t touch_reads = 0;
    std::uint8_t parts = 1;    // 2 for the first half of a dual instruction
    bool check_always = false; // more registers than `touch` holds
    bool vector = false;       // counts lanes
    bool may_jump = false;     // sets Wave::next
    std::uint8_t source_count = 0;
    char result_form = '1';
    Register result = isa::kNull;
    Register mask_in = isa::kNull;   // carry in, select
    Register mask_out = isa::kNull;  // compare result, carry out; kExecLo for V_CMPX
    Pass pass = Pass::kOnce;         // in a wave64
    bool cross_lane = false;         // reads lanes beyond EXEC
    std::array<Source, 4> sources{}; // four of sparse matrix instructions alone
    bool clamp = false;
    bool flush = false; // f32 subnormals count as zero where the mode register says so
    std::uint8_t output_modifier = 0;
    isa::Encoding encoding = isa::Encoding::kPlain;
    std::uint8_t result_registers = 1;
    bool result_high = false; // a 16-bit result goes to the high half
    isa::SdwaSelect result_select = isa::SdwaSelect::kDword;
    isa::SdwaUnused result_unused = isa::SdwaUnused::kPad;
    isa::DppFields dpp;
    const std::int8_t* source_lanes = nullptr; // DPP: the lane that each lane reads, -1 outside its row
    std::int32_t immediate = 0;                // wait fields, counts
    std::int32_t second_immediate = 0;
    std::uint32_t target = 0; // branch: index of the instruction jumped to
    std::int32_t offset = 0;  // bytes from the kernel's entry; negative in functions before it
    MemoryOperands memory;
};

/// Calls f(register, half) for every register that `inst` (one part of it) reads as an operand.
template <typename F>
void for_each_read(const Inst& inst, F f) {
    const auto run = [&](Register first, unsigned count, isa::Half half) {
        for (unsigned i = 0; i < count; ++i)
            if (first != isa::kNull) f(static_cast<Register>(first + i), half);
    };
    for (unsigned i = 0; i < inst.source_count; ++i) {
        const Source& source = inst.sources[i];
        if (source.kind != Source::Kind::kVector && source.kind != Source::Kind::kScalar) continue;
        const isa::Half half = source.form != 'h' ? isa::Half::kWhole
                               : source.op_sel    ? isa::Half::kHigh
                                                  : isa::Half::kLow;
        run(source.reg, source.registers, half);
    }
    run(inst.mask_in, 1, isa::Half::kWhole);
    run(inst.memory.address, inst.memory.address_dwords, isa::Half::kWhole);
    run(inst.memory.base, inst.memory.base_dwords, isa::Half::kWhole);
    run(inst.memory.offset_register, inst.memory.offset_dwords, isa::Half::kWhole);
    run(inst.memory.operand, inst.memory.operand_dwords, isa::Half::kWhole);
    run(inst.memory.second_data, inst.memory.second_dwords, isa::Half::kWhole);
    if (inst.memory.stores) run(inst.memory.data, inst.memory.data_dwords, inst.memory.data_half);
}

/// Calls f(register, half) for every register that `inst` (one part of it) writes at once; what a load delivers later
/// is not among them.
template <typename F>
void for_each_write(const Inst& inst, F f) {
    if (inst.result != isa::kNull) {
        const isa::Half half = inst.result_form != 'h' ? isa::Half::kWhole
                               : inst.result_high      ? isa::Half::kHigh
                                                       : isa::Half::kLow;
        for (unsigned i = 0; i < inst.result_registers; ++i) f(static_cast<Register>(inst.result + i), half);
    }
    if (inst.mask_out != isa::kNull) f(inst.mask_out, isa::Half::kWhole);
}

/// A kernel's instructions, the first of them its entry; then, where it calls or jumps through registers, all other
/// code of its segment. A text is kept for messages alone.
struct Program {
    static constexpr std::uint32_t kNoInst = ~0u;
    std::vector<Inst> insts;
    std::vector<Inst> upper; // of a wave64: what each is for lanes 32 to 63, where EXEC's halves have changed places
    std::int32_t first_offset = 0;      // bytes from the entry: of `indices`
    std::vector<std::uint32_t> indices; // by 4-byte step from first_offset: the instruction there, or kNoInst

    /// The instruction that starts `offset` bytes from the kernel's entry, or kNoInst.
    std::uint32_t at(std::int64_t offset) const {
        const std::int64_t from_first = offset - first_offset;
        if (from_first < 0 || from_first % 4 != 0 || from_first / 4 >= static_cast<std::int64_t>(indices.size()))
            return kNoInst;
        return indices[static_cast<std::size_t>(from_first / 4)];
    }
    std::vector<std::string> texts; // one an instruction
    std::vector<std::unique_ptr<std::array<std::uint32_t, 64>>> constants;
    std::vector<std::unique_ptr<std::array<std::int8_t, kLanes>>> source_lanes;
};

} // namespace pm::emu
