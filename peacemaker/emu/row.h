// The semantic table: one row an instruction, by LLVM's base name. Execution, initialisation tracking, the coverage
// table and the tests all read these rows.
#pragma once

#include "peacemaker/emu/atomics.h"
#include "peacemaker/emu/inst.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pm::emu {

/// How an answer relates to the ISA's.
enum class Exactness : std::uint8_t { kExact, kApproximate };

/// How undefined bits travel through an instruction.
enum class ShadowRule : std::uint8_t {
    kAll,     // any undefined source bit of a lane makes the lane's result undefined
    kMove,    // bits only move: the operation itself, on the masks of the data operands (`controls` keep their values)
    kAnd,     // a defined 0 decides
    kOr,      // a defined 1 decides; two or three sources
    kAndNot,  // kAnd of the first source and of what the second is not
    kOrNot,   // kOr likewise
    kBitTest, // the bit of the first source that the second numbers (`control_bits`) is all that counts
    kBitSet,  // the bit of the second source that the first numbers (`control_bits`) becomes defined
    kFirst,   // the place of a first bit: defined where undefined bits that are all 0, or all 1, give the same
    kAndOr,   // kAnd of the first two sources, kOr with the third
    kXor,     // bit by bit
    kCarry,   // of sums: from the lowest undefined bit upwards; all bits where the result saturates
    kProduct, // of two factors and what is added: likewise, from the lowest bit that undefined ones may change
    kProduct24,   // the same; of the factors, 24 bits count
    kAll24,       // kAll for the 24 bits of the sources that count
    kAddend,      // kCarry of the last source, kAll of the others: what they give is added to it
    kEqual,       // of comparisons: a bit that is defined in both sources and differs decides
    kOrder,       // of comparisons of unsigned numbers: decided where the ranges that the sources may lie in are apart
    kOrderSigned, // the same of signed numbers
    kShlSum,      // the first source, shifted left, and the last are summed; by the second, of scalars by `controls`
    kSumShl,      // the sum of the first two sources, shifted left by the third
    kInsert,      // each bit of the first source chooses between the other two
    kPermute,     // each byte of the third source chooses one of the other two
    kByte,        // kAll for one byte of the source, whose number is in `controls`
    kSelect,      // the mask chooses whose bits travel
    kProduct64,   // kProduct through both words of a result: 32-bit factors, a 64-bit addend
    kHalves,      // kAll within each 16-bit half of the operands
    kPair,        // the low half comes from the first source, the high half from the second
};

/// Which unit an instruction belongs to; chooses how it is resolved and executed.
enum class Unit : std::uint8_t {
    kVector,
    kMatrix,
    kScalar,
    kScalarMemory,
    kGlobal,
    kFlat,
    kScratch,
    kBuffer,
    kLds,
    kControl
};

/// A scalar operation: the result; `scc` is read and written.
using ScalarOp = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, bool& scc);

/// The same with a third source.
using ScalarOp3 = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool& scc);

/// The arithmetic of an integer instruction by its modifiers: saturating or not, and whether each source counts as
/// signed (NEG of integer dot products). Null where there is none.
using ChooseCompute = Compute (*)(bool clamp, bool signed_a, bool signed_b);

/// The registers of an LDS instruction beside its address.
enum class LdsForm : std::uint8_t {
    kNone,
    kLoad,
    kLoad2,
    kStore,
    kStore2,
    kAtomic,
    kAtomicReturn,
    kExchange2,
    kPermute,
    kAppend,      // no address register: M0 and the offset
    kStoreAddTid, // likewise
};

/// What the instruction's byte selector means: the byte of the first source that is read, or of the result that is
/// written while the others stay.
enum class ByteField : std::uint8_t { kNone, kSource, kResult };

enum class Extend : std::uint8_t { kNone, kSign, kZero };

/// What the elements of a matrix are.
enum class Element : std::uint8_t { kF32, kF16, kBf16, kFp8, kBf8, kI32, kIu8, kIu4 };

/// The bits of one element.
constexpr std::uint32_t element_bits(Element e) {
    return e == Element::kF32 || e == Element::kI32    ? 32
           : e == Element::kF16 || e == Element::kBf16 ? 16
           : e == Element::kIu4                        ? 4
                                                       : 8;
}

/// A matrix instruction: D (16 x 16) = A (16 x k) times B (k x 16) + C. Of a sparse one A holds two elements of every
/// four along k, and C is D.
struct MatrixForm {
    Element result{}, a{}, b{};
    std::uint8_t k = 0;
    bool sparse = false;
};

/// One instruction.
struct Row {
    std::string_view name; // LLVM's base name, without encoding and chip
    Unit unit{};
    /// Result and source forms, "result:sources": 1 = 32 bits, 2 = 64 bits, h = 16 bits, p = two packed 16-bit halves,
    /// i = a 32-bit integer among floats,
    /// m = f32 or a half by op_sel_hi (mixed-precision FMA), - = no result.
    std::string_view shape;
    Compute compute = nullptr;
    Compute upper_compute = nullptr; // of lanes 32 to 63, where they compute something else
    ScalarOp scalar = nullptr;
    ScalarOp3 scalar3 = nullptr;
    ChooseCompute variant = nullptr; // integer instructions that have modifiers
    Handler handler = nullptr;       // instructions that follow no common form
    ShadowRule shadow = ShadowRule::kAll;
    std::uint8_t controls = 0;        // kMove: bit i set = source i is a control
    std::uint32_t control_bits = ~0u; // of a control, those that count
    bool mask_in = false;             // reads a lane mask (VCC or an SGPR)
    bool mask_out = false;            // writes one
    bool hint = false;                // has no effect on results; left out of the program
    bool whole_wave = false;          // a wave64 runs it once for both halves; such a hint is one of wave32 alone
    bool accumulates = false;         // the result register is the last source
    bool is_float = false;            // obeys the mode register's rounding and denormal modes
    bool integer_result = false;      // of a float instruction: subnormal-looking results are none
    bool keeps_subnormals = false;    // of a float instruction: whatever the mode register says
    bool scc_in = false, scc_out = false;
    bool sets_mode = false;      // writes the mode register, ..
    bool names_hardware = false; // .. if its field does: id 5:0, offset 10:6, size less one 15:11 (SOPK)
    std::uint8_t bytes = 0;      // memory: bytes a lane
    bool store = false;
    bool adds_lane = false;      // memory: no address register; four times the lane's number is added
    bool block = false;          // memory: of 32 registers those that M0 names
    bool to_lds = false;         // memory: what is loaded goes to LDS, where M0 says
    bool relative = false;       // scalar moves: M0 chooses the registers, from the operands on
    bool high = false;           // memory: d16_hi
    bool half = false;           // memory: d16, the other half of the register stays
    std::uint8_t components = 0; // buffer formats: of the instruction
    bool typed = false;          // buffer formats: the format is the instruction's, not the resource's
    bool halves = false;         // buffer formats: components of 16 bits
    Extend extend = Extend::kNone;
    LdsForm lds_form = LdsForm::kNone;
    atomics::Op atomic = nullptr; // of the whole `bytes`
    bool replaces = false;        // atomic: the old contents do not go into the new
    ByteField byte_field = ByteField::kNone;
    bool op_sel_field = false;                             // its immediates are halves, not clamp and output modifier
    bool plain_sources = false;                            // negated and other modified sources are not modelled
    bool relative_source = false, relative_result = false; // registers counted from M0 on
    MatrixForm matrix;
    Exactness exactness = Exactness::kExact;
    std::string_view note; // kApproximate: which answer and which bound
};

std::span<const Row> vector_rows();        // vector_ops.cpp: chosen for this host's SIMD
std::span<const Row> integer_rows();       // integer_ops.cpp
std::span<const Row> half_rows();          // half_ops.cpp
std::span<const Row> double_rows();        // double_ops.cpp
std::span<const Row> single_rows();        // single_ops.cpp
std::span<const Row> matrix_rows();        // matrix_ops.cpp
std::span<const Row> byte_float_rows();    // byte_float_ops.cpp
std::span<const Row> scalar_rows();        // scalar_ops.cpp
std::span<const Row> scalar_float_rows();  // scalar_float_ops.cpp
std::span<const Row> memory_rows();        // memory_ops.cpp
std::span<const Row> buffer_rows();        // buffer_ops.cpp
std::span<const Row> scalar_memory_rows(); // scalar_memory_ops.cpp
std::span<const Row> lds_rows();           // lds_ops.cpp
std::span<const Row> control_rows();       // control_ops.cpp

/// All tables.
std::vector<std::span<const Row>> all_rows();

using RowIndex = std::unordered_map<std::string_view, const Row*>;

/// The rows by name. An error names one that two rows have.
Result<RowIndex> index_of(const std::vector<std::span<const Row>>& tables);

/// The row of that base name, or null.
const Row* find_row(std::string_view base_name);

} // namespace pm::emu
