#include "peacemaker/emu/vector_execute.h"

#include "peacemaker/emu/half.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/wave.h"

#include <bit>
#include <cstring>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peacemaker/emu/vector_execute.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pm::emu::HWY_NAMESPACE {
namespace {

using u32 = std::uint32_t;
constexpr u32 kAllLanes = ~0u;

inline void splat(u32 value, u32* out) {
    for (u32 i = 0; i < kLanes; ++i) out[i] = value;
}

// The words of a source that is used as it is; an SGPR is spread into `room` (two runs of 32 words).
inline const u32* plain_source(const Wave& wave, const Source& source, u32* room) {
    if (source.kind == Source::Kind::kVector) return wave.v[source.reg];
    if (source.kind == Source::Kind::kConstant) return source.constant;
    if (source.kind == Source::Kind::kNone) return nullptr;
    splat(wave.scalar(source.reg), room);
    if (source.form == '2') splat(wave.scalar(static_cast<Register>(source.reg + 1)), room + kLanes);
    return room;
}

inline void blend(const u32* from, u32* to, u32 lanes) {
#pragma GCC ivdep
    for (u32 i = 0; i < kLanes; ++i) to[i] = ((lanes >> i) & 1u) != 0 ? from[i] : to[i];
}

inline void write_mask(Wave& wave, const Inst& inst, u32 mask, u32 lanes) {
    if (inst.mask_out != isa::kNull) set_scalar(wave, inst.mask_out, mask & lanes);
}

inline u32 mask_source(const Wave& wave, const Inst& inst) {
    return inst.mask_in == isa::kNull ? 0u : wave.scalar(inst.mask_in);
}

void execute_plain(Wave& wave, const Inst& inst) {
    HWY_ALIGN u32 room[3][2 * kLanes];
    const u32* const a = plain_source(wave, inst.sources[0], room[0]);
    const u32* const b = plain_source(wave, inst.sources[1], room[1]);
    const u32* const c = plain_source(wave, inst.sources[2], room[2]);
    const u32 exec = wave.exec();
    const u32 mask = mask_source(wave, inst);
    if (inst.result_form == '-') {
        write_mask(wave, inst, inst.compute(a, b, c, nullptr, mask), exec);
        return;
    }
    u32* const d = wave.v[inst.result];
    if (exec == kAllLanes) {
        write_mask(wave, inst, inst.compute(a, b, c, d, mask), exec);
        return;
    }
    HWY_ALIGN u32 r[2 * kLanes];
    write_mask(wave, inst, inst.compute(a, b, c, r, mask), exec);
    blend(r, d, exec);
    if (inst.result_form == '2') blend(r + kLanes, wave.v[inst.result + 1], exec);
}

// --- sources with modifiers ---------------------------------------------------------------------------------------

void move_lanes(const Wave& wave, const Inst& inst, u32* words) {
    HWY_ALIGN u32 moved[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
        const std::int32_t from = inst.source_lanes[lane];
        const bool there = from >= 0 && (inst.dpp.fetch_inactive || ((wave.exec() >> from) & 1u) != 0);
        moved[lane] = there ? words[from] : 0u; // without a source: 0 under bound_ctrl, else the lane is not written
    }
    std::memcpy(words, moved, sizeof moved);
}

inline u32 select_part(u32 v, isa::SdwaSelect select, bool sign) {
    const auto part = static_cast<u32>(select);
    const u32 width = part < 4 ? 8u : 16u;
    const u32 top = v << (32u - width - (part < 4 ? 8u * part : 16u * (part - 4u)));
    return sign ? static_cast<u32>(static_cast<std::int32_t>(top) >> (32u - width)) : top >> (32u - width);
}

// Brings a source into the form its row computes with; masks of undefined bits move, but are neither widened nor
// negated.
void shape_source(const Source& source, bool is_float, bool undefined, u32* words) {
    if (source.select != isa::SdwaSelect::kDword)
        for (u32 i = 0; i < kLanes; ++i) words[i] = select_part(words[i], source.select, source.sign_extend);
    switch (source.form) {
    case 'h':
        for (u32 i = 0; i < kLanes; ++i) words[i] = source.op_sel ? words[i] >> 16 : words[i] & 0xffffu;
        break;
    case 'm':
        if (source.op_sel_hi)
            for (u32 i = 0; i < kLanes; ++i) {
                const u32 half = source.op_sel ? words[i] >> 16 : words[i] & 0xffffu;
                words[i] = undefined ? half : widen_half(half);
            }
        break;
    case 'p':
        for (u32 i = 0; i < kLanes; ++i) {
            const u32 low = source.op_sel ? words[i] >> 16 : words[i] & 0xffffu;
            const u32 high = source.op_sel_hi ? words[i] >> 16 : words[i] & 0xffffu;
            words[i] = low | high << 16;
        }
        break;
    default:
        break;
    }
    if (undefined || source.form == 'i' || (!is_float && source.form != 'm' && source.form != 'p')) return;
    if (source.form == 'p') {
        const u32 flip = (source.neg ? 0x8000u : 0u) | (source.abs_or_neg_hi ? 0x80000000u : 0u);
        for (u32 i = 0; i < kLanes; ++i) words[i] ^= flip;
        return;
    }
    u32* const top = source.form == '2' ? words + kLanes : words;
    const u32 sign = source.form == 'h' ? 0x8000u : 0x80000000u;
    for (u32 i = 0; i < kLanes; ++i) {
        if (source.abs_or_neg_hi) top[i] &= ~sign;
        if (source.neg) top[i] ^= sign;
    }
}

// Subnormals become zeros of their sign.
void flush_f32(u32* words) {
    for (u32 i = 0; i < kLanes; ++i) words[i] = (words[i] & 0x7f800000u) == 0 ? words[i] & 0x80000000u : words[i];
}

// The masks of a source's undefined bits, in the place of its words.
void undefined_source(const Wave& wave, const Source& source, u32* room) {
    const u32 runs = source.form == '2' ? 2 : 1;
    for (u32 run = 0; run < runs; ++run) {
        const auto r = static_cast<Register>(source.reg + run);
        const bool there = source.kind != Source::Kind::kConstant && (wave.state[r] & kUndefinedBits) != 0;
        if (!there)
            splat(0, room + run * kLanes);
        else if (source.kind == Source::Kind::kVector)
            for (u32 i = 0; i < kLanes; ++i) room[run * kLanes + i] = wave.undefined_word(r, i);
        else
            splat(wave.s_undefined[r - isa::kScalar], room + run * kLanes);
    }
}

void fetch(const Wave& wave, const Inst& inst, u32 index, bool undefined, u32* room) {
    const Source& source = inst.sources[index];
    if (source.kind == Source::Kind::kNone) return;
    if (undefined) {
        undefined_source(wave, source, room);
    } else {
        const u32* const words = plain_source(wave, source, room);
        const std::size_t runs = source.form == '2' ? 2 : 1;
        if (words != room) std::memcpy(room, words, runs * kLanes * sizeof(u32));
    }
    const bool dpp = inst.encoding == isa::Encoding::kDpp16 || inst.encoding == isa::Encoding::kDpp8;
    if (index == 0 && dpp) move_lanes(wave, inst, room);
    // Selects of lane masks aside, modifiers exist on float operands only (cndmask takes them too).
    shape_source(source, inst.row->is_float || inst.row->mask_in, undefined, room);
    const bool f32 = source.form == '1' || (source.form == 'm' && !source.op_sel_hi);
    if (inst.flush && !undefined && f32 && wave.flushes_f32()) flush_f32(room);
}

// --- results ------------------------------------------------------------------------------------------------------

// DX10_CLAMP is set by every compiler: a NaN clamps to 0.
template <typename T>
inline T modified(T v, T scale, bool clamp) {
    v *= scale;
    return !clamp ? v : v > T{0} ? (v < T{1} ? v : T{1}) : T{0};
}
inline u32 modified_half(u32 half, float scale, bool clamp) {
    return round_f16(std::bit_cast<u32>(modified(std::bit_cast<float>(widen_half(half)), scale, clamp)));
}

void modify_output(const Inst& inst, u32* words) {
    if (inst.output_modifier == 0 && !inst.clamp) return;
    static constexpr float kScale[] = {1.0f, 2.0f, 4.0f, 0.5f};
    const float scale = kScale[inst.output_modifier & 3u];
    for (u32 i = 0; i < kLanes; ++i) {
        switch (inst.result_form) {
        case 'h':
            words[i] = modified_half(words[i], scale, inst.clamp);
            break;
        case 'p':
            words[i] = modified_half(words[i], scale, inst.clamp) | modified_half(words[i] >> 16, scale, inst.clamp)
                                                                        << 16;
            break;
        case '2': {
            const auto bits = words[i] | static_cast<std::uint64_t>(words[i + kLanes]) << 32;
            const auto r = std::bit_cast<std::uint64_t>(
                modified(std::bit_cast<double>(bits), static_cast<double>(scale), inst.clamp));
            words[i] = static_cast<u32>(r);
            words[i + kLanes] = static_cast<u32>(r >> 32);
            break;
        }
        default:
            words[i] = std::bit_cast<u32>(modified(std::bit_cast<float>(words[i]), scale, inst.clamp));
        }
    }
}

inline u32 merge_part(u32 old, u32 value, isa::SdwaSelect select, isa::SdwaUnused unused) {
    const auto part = static_cast<u32>(select);
    const u32 width = part < 4 ? 8u : 16u;
    const u32 shift = part < 4 ? 8u * part : 16u * (part - 4u);
    const u32 field = ((1u << width) - 1u) << shift;
    const u32 placed = (value << shift) & field;
    if (unused == isa::SdwaUnused::kPreserve) return (old & ~field) | placed;
    if (unused == isa::SdwaUnused::kPad) return placed;
    const u32 top = (value >> (width - 1u)) & 1u;
    const u32 above = shift + width >= 32 ? 0u : ~0u << (shift + width);
    return placed | (top != 0 ? above : 0u);
}

void merge_result(const Inst& inst, u32* words, u32* old, u32 lanes) {
    if (inst.result_select != isa::SdwaSelect::kDword) {
        for (u32 i = 0; i < kLanes; ++i)
            words[i] = merge_part(old[i], words[i], inst.result_select, inst.result_unused);
    } else if (inst.result_form == 'h') {
        // On all four chips a 16-bit result leaves the other half as it was.
        for (u32 i = 0; i < kLanes; ++i)
            words[i] =
                inst.result_high ? (old[i] & 0xffffu) | words[i] << 16 : (old[i] & 0xffff0000u) | (words[i] & 0xffffu);
    }
    blend(words, old, lanes);
}

void execute_general(Wave& wave, const Inst& inst) {
    HWY_ALIGN u32 room[3][2 * kLanes];
    HWY_ALIGN u32 r[2 * kLanes];
    for (u32 i = 0; i < inst.source_count; ++i) fetch(wave, inst, i, false, room[i]);
    const u32 lanes = written_lanes(wave, inst);
    const u32 mask = inst.compute(room[0], room[1], room[2], r, mask_source(wave, inst));
    write_mask(wave, inst, mask, lanes);
    if (inst.result_form == '-') return;
    if (inst.row->is_float) modify_output(inst, r);
    if (inst.flush && inst.result_form == '1' && !inst.row->integer_result && wave.flushes_f32()) flush_f32(r);
    merge_result(inst, r, wave.v[inst.result], lanes);
    if (inst.result_form == '2') blend(r + kLanes, wave.v[inst.result + 1], lanes);
}

void execute_dual(Wave& wave, const Inst& inst) {
    HWY_ALIGN u32 room[3][2 * kLanes];
    HWY_ALIGN u32 r[2 * kLanes];
    const u32* const a = plain_source(wave, inst.sources[0], room[0]);
    const u32* const b = plain_source(wave, inst.sources[1], room[1]);
    const u32* const c = plain_source(wave, inst.sources[2], room[2]);
    (void)inst.compute(a, b, c, r, mask_source(wave, inst));
    const Inst& second = (&inst)[1];
    second.handler(wave, second);
    blend(r, wave.v[inst.result], wave.exec());
}

} // namespace

VectorHandlers handlers() { return {execute_plain, execute_general, execute_dual, fetch, merge_result}; }

} // namespace pm::emu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pm::emu {

HWY_EXPORT(handlers);

VectorHandlers vector_handlers() { return HWY_DYNAMIC_DISPATCH(handlers)(); }

// RDNA ISA documents, "Data parallel primitives": dpp_ctrl. A row is 16 lanes.
std::int8_t dpp_source_lane(isa::Encoding encoding, std::uint32_t control, std::uint32_t lane) {
    if (encoding == isa::Encoding::kDpp8)
        return static_cast<std::int8_t>((lane & ~7u) | ((control >> (3 * (lane & 7u))) & 7u));
    const std::uint32_t row = lane & ~15u, in_row = lane & 15u, amount = control & 15u;
    if (control <= 0xff) return static_cast<std::int8_t>((lane & ~3u) | ((control >> (2 * (lane & 3u))) & 3u));
    switch (control & 0x1f0u) {
    case 0x100:
        return in_row + amount < 16 ? static_cast<std::int8_t>(lane + amount) : -1; // row_shl
    case 0x110:
        return in_row >= amount ? static_cast<std::int8_t>(lane - amount) : -1; // row_shr
    case 0x120:
        return static_cast<std::int8_t>(row | ((in_row - amount) & 15u)); // row_ror
    case 0x140:
        return static_cast<std::int8_t>(
            row | (amount == 0 ? 15u - in_row : (in_row & 8u) | (7u - (in_row & 7u)))); // row_mirror, row_half_mirror
    case 0x150:
        return static_cast<std::int8_t>(row | amount); // row_share
    case 0x160:
        return static_cast<std::int8_t>(row | (in_row ^ amount)); // row_xmask
    default:
        return -1;
    }
}

std::uint32_t written_lanes(const Wave& wave, const Inst& inst) {
    if (inst.encoding != isa::Encoding::kDpp16) return wave.exec();
    // The usual form: every row and bank, sources outside give 0.
    if (inst.dpp.row_mask == 0xf && inst.dpp.bank_mask == 0xf && inst.dpp.bound_ctrl) return wave.exec();
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool row = ((inst.dpp.row_mask >> (lane / 16u)) & 1u) != 0;
        const bool bank = ((inst.dpp.bank_mask >> ((lane & 15u) / 4u)) & 1u) != 0;
        const std::int32_t from = inst.source_lanes[lane];
        const bool there = from >= 0 && (inst.dpp.fetch_inactive || ((wave.exec() >> from) & 1u) != 0);
        if (row && bank && (there || inst.dpp.bound_ctrl)) lanes |= 1u << lane;
    }
    return lanes & wave.exec();
}

} // namespace pm::emu
#endif
