// No result bit that a shadow rule calls defined depends on an undefined bit: each vector and scalar row runs on values
// with undefined bits, then on others that differ in those bits alone.
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/scalar_execute.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/vector_execute.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <random>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;

constexpr std::uint64_t kSeed = 20261201;
constexpr int kTrials = 12, kFills = 8;
constexpr Register kVectorSources = 10, kVectorResult = 30;
constexpr Register kScalarSources = isa::kScalar + 10, kScalarResult = isa::kScalar + 30;

/// An instruction of that row whose operands are registers, in each way that its modifiers give another meaning.
std::vector<Inst> insts_of(const Row& row) {
    const bool vector = row.unit == Unit::kVector;
    Inst inst;
    inst.row = &row;
    inst.vector = vector;
    inst.result_form = row.shape[0] == 'H' ? 'h' : row.shape[0];
    inst.result_registers = inst.result_form == '2' ? 2 : 1;
    if (inst.result_form != '-') inst.result = vector ? kVectorResult : kScalarResult;
    const std::string_view forms = row.shape.substr(row.shape.find(':') + 1);
    for (std::size_t i = 0; i < forms.size(); ++i) {
        Source& source = inst.sources[i];
        source.kind = vector ? Source::Kind::kVector : Source::Kind::kScalar;
        source.form = forms[i];
        source.registers = forms[i] == '2' ? 2 : 1;
        source.op_sel_hi = forms[i] == 'p';
        source.reg = static_cast<Register>((vector ? kVectorSources : kScalarSources) + 2 * i);
        if (row.accumulates && i + 1 == forms.size()) source.reg = inst.result;
    }
    inst.source_count = static_cast<std::uint8_t>(forms.size());
    if (row.mask_in) inst.mask_in = isa::kVccLo;
    if (row.mask_out) inst.mask_out = isa::kVccLo;
    if (!vector) {
        inst.handler = row.handler;
        return {inst};
    }
    inst.handler = vector_handlers().general;
    if (row.byte_field == ByteField::kSource) inst.sources[0].select = isa::SdwaSelect::kByte2;
    if (row.byte_field == ByteField::kResult) {
        inst.result_select = isa::SdwaSelect::kByte1;
        inst.result_unused = isa::SdwaUnused::kPreserve;
    }
    std::vector<Inst> out;
    inst.compute = row.compute;
    if (inst.compute != nullptr) out.push_back(inst);
    for (int way = 0; row.variant != nullptr && way < 8; ++way) {
        inst.compute = row.variant((way & 1) != 0, (way & 2) != 0, (way & 4) != 0);
        inst.sources[0].neg = (way & 2) != 0;
        inst.sources[1].neg = (way & 4) != 0;
        if (inst.compute != nullptr) out.push_back(inst);
    }
    return out;
}

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    u32 word() { return static_cast<u32>(engine_()); }
    u32 below(u32 n) { return word() % n; }
    /// Values at which carries, shifts and comparisons turn, and any.
    u32 value() {
        const u32 any = word();
        switch (below(6)) {
        case 0:
            return 0;
        case 1:
            return any & 31u;
        case 2:
            return ~0u << (any & 31u);
        case 3:
            return u32{1} << (any & 31u);
        default:
            return any;
        }
    }
    /// Bits that are undefined: none, one, a run of them, all, any.
    u32 mask() {
        const u32 any = word();
        switch (below(6)) {
        case 0:
        case 1:
            return 0;
        case 2:
            return u32{1} << (any & 31u);
        case 3:
            return (any >> 16) << (any & 15u);
        case 4:
            return ~0u;
        default:
            return any & word();
        }
    }

private:
    std::mt19937_64 engine_;
};

/// What is read, and which of its bits are undefined.
struct Words {
    u32 v[kVectorResult + 2][kLanes] = {}, v_undefined[kVectorResult + 2][kLanes] = {};
    u32 s[isa::kScc + 1 - isa::kScalar] = {}, s_undefined[isa::kScc + 1 - isa::kScalar] = {};
};

void fill(const Inst& inst, Dice& dice, Words& words) {
    const auto one = [&](Register r) {
        if (isa::is_vector(r)) {
            for (u32 i = 0; i < kLanes; ++i) {
                words.v[r][i] = dice.value();
                words.v_undefined[r][i] = dice.mask();
            }
            return;
        }
        words.s[r - isa::kScalar] = r == isa::kScc ? dice.below(2) : dice.value();
        words.s_undefined[r - isa::kScalar] = r == isa::kScc ? dice.below(2) : dice.mask();
    };
    for_each_read(inst, [&](Register r, isa::Half) { one(r); });
    for_each_write(inst, [&](Register r, isa::Half) { one(r); });
    one(isa::kScc);
}

/// The same, but for undefined bits.
Words other(const Words& words, Dice& dice) {
    Words out = words;
    for (u32 r = 0; r < kVectorResult + 2; ++r)
        for (u32 i = 0; i < kLanes; ++i)
            out.v[r][i] = (words.v[r][i] & ~words.v_undefined[r][i]) | (dice.value() & words.v_undefined[r][i]);
    for (std::size_t r = 0; r < std::size(words.s); ++r)
        out.s[r] = (words.s[r] & ~words.s_undefined[r]) | (dice.value() & words.s_undefined[r]);
    return out;
}

void load(const Words& words, Wave& wave) {
    for (Register r = 0; r < kVectorResult + 2; ++r) {
        std::copy_n(words.v[r], kLanes, wave.v[r]);
        set_undefined(wave, r, words.v_undefined[r], ~0u);
    }
    for (Register r = isa::kScalar; r <= isa::kScc; ++r) {
        if (r == isa::kExecLo || r == isa::kExecLo + 1) continue;
        wave.s[r - isa::kScalar] = words.s[r - isa::kScalar];
        set_scalar_undefined(wave, r, words.s_undefined[r - isa::kScalar]);
    }
    wave.s[isa::kExecLo - isa::kScalar] = ~0u;
}

/// Bits of the results that are defined in `wave` and differ from `changed`; one line each.
std::string wrong_bits(const Inst& inst, const Wave& wave, const Wave& changed) {
    std::string out;
    const auto line = [&](Register r, u32 lane, u32 undefined, u32 a, u32 b) {
        if (((a ^ b) & ~undefined) != 0)
            out += fmt::format("{} lane {}: {:08x} or {:08x}, undefined {:08x}\n", register_name(r), lane, a, b,
                               undefined);
    };
    const auto one = [&](Register r) {
        if (!isa::is_vector(r)) return line(r, 0, scalar_undefined(wave, r), wave.scalar(r), changed.scalar(r));
        for (u32 i = 0; i < kLanes; ++i) line(r, i, wave.undefined_word(r, i), wave.v[r][i], changed.v[r][i]);
    };
    for_each_write(inst, [&](Register r, isa::Half) { one(r); });
    if (inst.row->scc_out) one(isa::kScc);
    return out;
}

/// The first trial in which a bit that is called defined is not; empty where there is none.
std::string fault_of(const Inst& inst, Dice& dice, Wave& wave, Wave& changed) {
    Words words;
    for (int trial = 0; trial < kTrials; ++trial) {
        fill(inst, dice, words);
        load(words, wave);
        ResultShadow shadow;
        shadow_before(wave, inst, shadow);
        inst.handler(wave, inst);
        shadow_after(wave, inst, shadow);
        for (int k = 0; k < kFills; ++k) {
            load(other(words, dice), changed);
            inst.handler(changed, inst);
            if (std::string wrong = wrong_bits(inst, wave, changed); !wrong.empty()) return wrong;
        }
    }
    return {};
}

TEST(ShadowRules, ADefinedBitDependsOnNoUndefinedOne) {
    fmt::print("seed {}\n", kSeed);
    const auto wave = std::make_unique<Wave>(), changed = std::make_unique<Wave>();
    int rows = 0;
    for (const std::span<const Row> table : all_rows())
        for (const Row& row : table) {
            const bool scalar = row.unit == Unit::kScalar && row.handler == execute_scalar;
            if (!scalar && row.unit != Unit::kVector) continue;
            Dice dice(kSeed);
            for (const Inst& inst : insts_of(row)) EXPECT_EQ(fault_of(inst, dice, *wave, *changed), "") << row.name;
            ++rows;
        }
    EXPECT_GT(rows, 500);
}

} // namespace
} // namespace pm::emu
