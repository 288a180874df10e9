#include "peacemaker/emu/shadow.h"

#include "peacemaker/emu/row.h"
#include "peacemaker/emu/vector_execute.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pm::emu {
namespace {

constexpr std::uint32_t kAllLanes = ~0u;

// From the lowest undefined bit upwards: what a sum may change.
template <typename T>
T upwards(T mask) {
    return mask | (T{0} - mask);
}
// The lowest bits of a product that undefined bits of its factors may change: those of each factor move it by multiples
// of their lowest one, times the lowest bit that the other factor may have set.
template <typename T>
T of_product(T ma, T mb, T a, T b) {
    const auto lowest = [](T v) { return v & (T{0} - v); };
    return lowest(ma) * lowest(b | mb) | lowest(mb) * lowest(a | ma);
}
// A defined 0, or a defined 1, decides.
std::uint32_t of_and(std::uint32_t ma, std::uint32_t mb, std::uint32_t a, std::uint32_t b) {
    return (ma & mb) | (ma & b) | (mb & a);
}
std::uint32_t of_or(std::uint32_t ma, std::uint32_t mb, std::uint32_t a, std::uint32_t b) {
    return (ma & mb) | (ma & ~b) | (mb & ~a);
}

// Between the choices of an undefined condition: the bits in which they are alike do not depend on it.
template <typename T>
T of_choice(T ma, T mb, T a, T b) {
    return ma | mb | (a ^ b);
}
// The ends of the range that a number with undefined bits lies in; `sign` is the bit that counts negative, or 0.
template <typename T>
T least(T value, T undefined, T sign) {
    return (value & ~undefined) | (undefined & sign);
}
template <typename T>
T greatest(T value, T undefined, T sign) {
    return (value | undefined) & ~(undefined & sign);
}

void scalar_before(const Wave& wave, const Inst& inst, ResultShadow& out) {
    const Row& row = *inst.row;
    const std::uint64_t ma = scalar_undefined(wave, inst.sources[0]), mb = scalar_undefined(wave, inst.sources[1]);
    const std::uint64_t a = scalar_value(wave, inst.sources[0]), b = scalar_value(wave, inst.sources[1]);
    const bool scc = row.scc_in && scalar_undefined(wave, isa::kScc) != 0;
    const bool any = ma != 0 || mb != 0 || scalar_undefined(wave, inst.sources[2]) != 0 || scc;
    switch (row.shadow) {
    case ShadowRule::kMove: {
        bool ignored = false;
        out.scalar = row.scalar((row.controls & 1) != 0 ? a : ma, (row.controls & 2) != 0 ? b : mb, ignored);
        if (((row.controls & 1) != 0 && (ma & row.control_bits) != 0) ||
            ((row.controls & 2) != 0 && (mb & row.control_bits) != 0))
            out.scalar = ~0ull;
        break;
    }
    case ShadowRule::kAnd:
        out.scalar = (ma & mb) | (ma & b) | (mb & a);
        break;
    case ShadowRule::kAndNot:
        out.scalar = (ma & mb) | (ma & ~b) | (mb & a);
        break;
    case ShadowRule::kOr:
        out.scalar = (ma & mb) | (ma & ~b) | (mb & ~a);
        break;
    case ShadowRule::kOrNot:
        out.scalar = (ma & mb) | (ma & b) | (mb & ~a);
        break;
    case ShadowRule::kShlSum:
        out.scalar = upwards(ma << row.controls | mb);
        break;
    case ShadowRule::kBitTest:
        out.scalar = (mb & row.control_bits) != 0 ? 1u : ma >> (b & row.control_bits) & 1u;
        break;
    case ShadowRule::kBitSet:
        out.scalar = (ma & row.control_bits) != 0 ? ~0ull : mb & ~(std::uint64_t{1} << (a & row.control_bits));
        break;
    case ShadowRule::kFirst: {
        bool ignored = false;
        out.scalar = row.scalar(a & ~ma, 0, ignored) == row.scalar(a | ma, 0, ignored) ? 0 : ~0ull;
        break;
    }
    case ShadowRule::kXor:
        out.scalar = ma | mb;
        break;
    case ShadowRule::kCarry:
        out.scalar = scc ? ~0ull : upwards(ma | mb);
        break;
    case ShadowRule::kProduct:
        out.scalar = upwards(of_product(ma, mb, a, b));
        break;
    case ShadowRule::kSelect:
        out.scalar = scc ? of_choice(ma, mb, a, b) : wave.scc() ? ma : mb;
        break;
    case ShadowRule::kEqual: // SCC alone, from here on
        out.scc = (ma | mb) != 0 && ((a ^ b) & ~(ma | mb)) == 0;
        return;
    case ShadowRule::kOrder:
    case ShadowRule::kOrderSigned: {
        const std::uint64_t sign = row.shadow == ShadowRule::kOrderSigned ? 0x80000000u : 0u; // none is of 64 bits
        bool low = false, high = false;
        (void)row.scalar(least(a, ma, sign), greatest(b, mb, sign), low);
        (void)row.scalar(greatest(a, ma, sign), least(b, mb, sign), high);
        out.scc = low != high;
        return;
    }
    case ShadowRule::kAll:
    case ShadowRule::kAndOr: // of vector instructions only, from here on
    case ShadowRule::kProduct24:
    case ShadowRule::kAll24:
    case ShadowRule::kAddend:
    case ShadowRule::kSumShl:
    case ShadowRule::kInsert:
    case ShadowRule::kPermute:
    case ShadowRule::kByte:
    case ShadowRule::kProduct64:
    case ShadowRule::kHalves:
    case ShadowRule::kPair:
        out.scalar = any ? ~0ull : 0;
        break;
    }
    switch (row.shadow) {
    case ShadowRule::kAnd:
    case ShadowRule::kAndNot:
    case ShadowRule::kOr:
    case ShadowRule::kOrNot:
    case ShadowRule::kXor:
    case ShadowRule::kMove: {
        // SCC says whether the result is other than 0: a defined 1 decides.
        bool ignored = false;
        out.scc = out.scalar != 0 && (row.scalar(a, b, ignored) & ~out.scalar) == 0;
        break;
    }
    case ShadowRule::kBitTest:
        out.scc = out.scalar != 0;
        break;
    default:
        out.scc = any;
        break;
    }
}

// Whether any operand holds an undefined bit in a lane that counts.
bool reads_undefined(const Wave& wave, const Inst& inst) {
    const std::uint32_t lanes = inst.cross_lane ? kAllLanes : wave.exec();
    bool found = false;
    for_each_read(inst, [&](Register r, isa::Half) {
        found |= isa::is_vector(r) ? (wave.undefined_lanes[r] & lanes) != 0 : (wave.state[r] & kUndefinedBits) != 0;
    });
    return found;
}

void vector_before(const Wave& wave, const Inst& inst, ResultShadow& out) {
    out.written = written_lanes(wave, inst);
    out.defined = !reads_undefined(wave, inst);
    if (out.defined) return;
    const VectorHandlers handlers = vector_handlers();
    const Row& row = *inst.row;
    alignas(64) std::uint32_t undefined[3][2 * kLanes] = {};
    alignas(64) std::uint32_t values[3][2 * kLanes] = {};
    for (std::uint32_t i = 0; i < inst.source_count; ++i) {
        handlers.fetch(wave, inst, i, true, undefined[i]);
        handlers.fetch(wave, inst, i, false, values[i]);
    }
    const std::uint32_t mask_undefined = inst.mask_in == isa::kNull ? 0 : scalar_undefined(wave, inst.mask_in);
    const std::uint32_t mask = inst.mask_in == isa::kNull ? 0 : wave.scalar(inst.mask_in);
    std::uint32_t any[kLanes];
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        any[i] = 0;
        for (const auto& u : undefined) any[i] |= u[i] | u[i + kLanes];
        if (any[i] != 0 || ((mask_undefined >> i) & 1u) != 0) out.mask |= 1u << i;
    }
    const auto each = [&](auto f) {
        for (std::uint32_t i = 0; i < 2 * kLanes; ++i) out.words[i / kLanes][i % kLanes] = f(i);
    };
    const auto& [ma, mb, mc] = undefined;
    const auto& [a, b, c] = values;
    switch (row.shadow) {
    case ShadowRule::kEqual:
        for (std::uint32_t i = 0; i < 2 * kLanes; ++i)
            if (((a[i] ^ b[i]) & ~(ma[i] | mb[i])) != 0) out.mask &= ~(1u << (i % kLanes));
        break;
    case ShadowRule::kOrder:
    case ShadowRule::kOrderSigned: {
        alignas(64) std::uint32_t a_least[2 * kLanes], a_greatest[2 * kLanes];
        alignas(64) std::uint32_t b_least[2 * kLanes], b_greatest[2 * kLanes];
        const char form = inst.sources[0].form;
        for (std::uint32_t i = 0; i < 2 * kLanes; ++i) {
            std::uint32_t sign = form == 'h' ? 0x8000u : 0x80000000u;
            if (row.shadow == ShadowRule::kOrder || (form == '2' && i < kLanes)) sign = 0;
            a_least[i] = least(a[i], ma[i], sign);
            a_greatest[i] = greatest(a[i], ma[i], sign);
            b_least[i] = least(b[i], mb[i], sign);
            b_greatest[i] = greatest(b[i], mb[i], sign);
        }
        out.mask &= row.compute(a_least, b_greatest, c, nullptr, 0) ^ row.compute(a_greatest, b_least, c, nullptr, 0);
        break;
    }
    case ShadowRule::kAndNot: // of scalar instructions only
    case ShadowRule::kOrNot:
    case ShadowRule::kBitTest:
    case ShadowRule::kBitSet:
    case ShadowRule::kAll:
        each([&](std::uint32_t i) { return (out.mask >> (i % kLanes) & 1u) != 0 ? ~0u : 0u; });
        break;
    case ShadowRule::kFirst: {
        alignas(64) std::uint32_t zeros[2 * kLanes], ones[2 * kLanes];
        alignas(64) std::uint32_t latest[2 * kLanes] = {}, earliest[2 * kLanes] = {};
        for (std::uint32_t i = 0; i < 2 * kLanes; ++i) {
            zeros[i] = a[i] & ~ma[i];
            ones[i] = a[i] | ma[i];
        }
        (void)row.compute(zeros, b, c, latest, 0);
        (void)row.compute(ones, b, c, earliest, 0);
        each([&](std::uint32_t i) { return latest[i] == earliest[i] ? 0u : ~0u; });
        break;
    }
    case ShadowRule::kHalves:
        each([&](std::uint32_t i) {
            const std::uint32_t m = ma[i] | mb[i] | mc[i];
            return ((m & 0xffffu) != 0 ? 0xffffu : 0u) | ((m >> 16) != 0 ? 0xffff0000u : 0u);
        });
        break;
    case ShadowRule::kPair:
        each([&](std::uint32_t i) { return (ma[i] != 0 ? 0xffffu : 0u) | (mb[i] != 0 ? 0xffff0000u : 0u); });
        break;
    case ShadowRule::kMove: {
        const std::uint32_t* operand[3];
        for (std::uint32_t k = 0; k < 3; ++k) operand[k] = ((row.controls >> k) & 1) != 0 ? values[k] : undefined[k];
        alignas(64) std::uint32_t moved[2 * kLanes] = {};
        (void)row.compute(operand[0], operand[1], operand[2], moved, 0);
        each([&](std::uint32_t i) {
            std::uint32_t control = 0;
            for (std::uint32_t k = 0; k < 3; ++k)
                if (((row.controls >> k) & 1) != 0) control |= undefined[k][i % kLanes] & row.control_bits;
            return control != 0 ? ~0u : moved[i];
        });
        break;
    }
    case ShadowRule::kAnd:
        each([&](std::uint32_t i) { return of_and(ma[i], mb[i], a[i], b[i]); });
        break;
    case ShadowRule::kOr:
        each([&](std::uint32_t i) { return of_or(of_or(ma[i], mb[i], a[i], b[i]), mc[i], a[i] | b[i], c[i]); });
        break;
    case ShadowRule::kAndOr:
        each([&](std::uint32_t i) { return of_or(of_and(ma[i], mb[i], a[i], b[i]), mc[i], a[i] & b[i], c[i]); });
        break;
    case ShadowRule::kXor:
        each([&](std::uint32_t i) { return ma[i] | mb[i] | mc[i]; });
        break;
    case ShadowRule::kCarry:
    case ShadowRule::kProduct: {
        const bool saturates = inst.compute != row.compute; // the variant under CLAMP
        const bool multiplies = row.shadow == ShadowRule::kProduct;
        each([&](std::uint32_t i) {
            if (((mask_undefined >> (i % kLanes)) & 1u) != 0) return ~0u;
            const std::uint32_t m = ma[i] | mb[i] | mc[i];
            if (saturates) return m != 0 ? ~0u : 0u;
            return upwards(multiplies ? of_product(ma[i], mb[i], a[i], b[i]) | mc[i] : m);
        });
        break;
    }
    case ShadowRule::kProduct24:
        each([&](std::uint32_t i) {
            constexpr std::uint32_t kFactor = 0xffffff;
            return upwards(of_product(ma[i] & kFactor, mb[i] & kFactor, a[i] & kFactor, b[i] & kFactor) | mc[i]);
        });
        break;
    case ShadowRule::kAll24:
        each([&](std::uint32_t i) { return ((ma[i] | mb[i]) & 0xffffffu) != 0 ? ~0u : 0u; });
        break;
    case ShadowRule::kAddend: {
        const std::uint32_t last = inst.source_count - 1u;
        const bool saturates =
            row.variant != nullptr && inst.compute != row.variant(false, inst.sources[0].neg, inst.sources[1].neg);
        each([&](std::uint32_t i) {
            std::uint32_t others = 0;
            for (std::uint32_t k = 0; k < last; ++k) others |= undefined[k][i];
            if (others != 0 || (saturates && undefined[last][i] != 0)) return ~0u;
            return upwards(undefined[last][i]);
        });
        break;
    }
    case ShadowRule::kShlSum:
        each([&](std::uint32_t i) { return (mb[i] & 31u) != 0 ? ~0u : upwards(ma[i] << (b[i] & 31u) | mc[i]); });
        break;
    case ShadowRule::kSumShl:
        each([&](std::uint32_t i) { return (mc[i] & 31u) != 0 ? ~0u : upwards(ma[i] | mb[i]) << (c[i] & 31u); });
        break;
    case ShadowRule::kInsert:
        each([&](std::uint32_t i) {
            // Where both choices are defined and the same, the choice decides nothing.
            const std::uint32_t chosen = ma[i] & (mb[i] | mc[i] | (b[i] ^ c[i]));
            return chosen | (~ma[i] & ((a[i] & mb[i]) | (~a[i] & mc[i])));
        });
        break;
    case ShadowRule::kPermute: {
        // Constants and repeated signs are made of bits, too: the operation itself, on the masks; only the constants
        // are defined.
        alignas(64) std::uint32_t moved[2 * kLanes] = {}, again[2 * kLanes] = {};
        alignas(64) std::uint32_t nothing[2 * kLanes] = {};
        (void)row.compute(undefined[0], undefined[1], c, moved, 0);
        (void)row.compute(nothing, nothing, c, again, 0);
        each([&](std::uint32_t i) {
            std::uint32_t chosen = 0;
            for (std::uint32_t byte = 0xff; byte != 0; byte <<= 8) chosen |= (mc[i] & byte) != 0 ? byte : 0u;
            return chosen | (moved[i] & ~again[i]);
        });
        break;
    }
    case ShadowRule::kByte:
        each([&](std::uint32_t i) { return (ma[i] >> (8u * row.controls) & 0xffu) != 0 ? ~0u : 0u; });
        break;
    case ShadowRule::kSelect:
        each([&](std::uint32_t i) {
            const std::uint32_t lane = i % kLanes;
            if (((mask_undefined >> lane) & 1u) != 0) return of_choice(ma[i], mb[i], a[i], b[i]);
            return ((mask >> lane) & 1u) != 0 ? mb[i] : ma[i];
        });
        break;
    case ShadowRule::kProduct64:
        each([&](std::uint32_t i) {
            const std::uint32_t lane = i % kLanes;
            const std::uint64_t m = of_product<std::uint64_t>(ma[lane], mb[lane], a[lane], b[lane]) | mc[lane] |
                                    static_cast<std::uint64_t>(mc[lane + kLanes]) << 32;
            return static_cast<std::uint32_t>(upwards(m) >> (i < kLanes ? 0 : 32));
        });
        break;
    }
}

// Says which lanes of the register have an undefined bit.
void set_undefined_lanes(Wave& wave, Register r, std::uint32_t lanes) {
    wave.undefined_lanes[r] = lanes;
    if (lanes != 0)
        wave.state[r] |= kUndefinedBits;
    else
        wave.state[r] &= static_cast<std::uint8_t>(~kUndefinedBits);
}

// The register's masks, every word of which counts.
std::uint32_t* masks_of(Wave& wave, Register r) {
    for (std::uint32_t i = 0; i < kLanes; ++i) wave.v_undefined[r][i] = wave.undefined_word(r, i);
    return wave.v_undefined[r];
}

// After its masks changed.
void refresh(Wave& wave, Register r) {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) lanes |= (wave.v_undefined[r][i] != 0 ? 1u : 0u) << i;
    set_undefined_lanes(wave, r, lanes);
}

} // namespace

void shadow_before(const Wave& wave, const Inst& inst, ResultShadow& out) {
    if (inst.row->unit == Unit::kScalar)
        scalar_before(wave, inst, out);
    else
        vector_before(wave, inst, out);
}

void shadow_after(Wave& wave, const Inst& inst, ResultShadow& shadow) {
    if (inst.row->unit == Unit::kScalar) {
        if (inst.result != isa::kNull) {
            // What a half leaves beside it is not stated.
            const std::uint32_t beside = inst.result_form == 'h' ? 0xffff0000u : 0u;
            set_scalar_undefined(wave, inst.result, static_cast<std::uint32_t>(shadow.scalar) | beside);
            if (inst.result_form == '2')
                set_scalar_undefined(wave, static_cast<Register>(inst.result + 1),
                                     static_cast<std::uint32_t>(shadow.scalar >> 32));
        }
        if (inst.row->scc_out) set_scalar_undefined(wave, isa::kScc, shadow.scc ? 1u : 0u);
        return;
    }
    if (shadow.defined && inst.result_select == isa::SdwaSelect::kDword) {
        set_results_defined(wave, inst, shadow.written);
        return;
    }
    if (inst.mask_out != isa::kNull) set_scalar_undefined(wave, inst.mask_out, shadow.mask & shadow.written);
    if (inst.result == isa::kNull) return;
    if (shadow.defined) std::memset(shadow.words, 0, sizeof shadow.words);
    vector_handlers().merge(inst, shadow.words[0], masks_of(wave, inst.result), shadow.written);
    refresh(wave, inst.result);
    if (inst.result_form == '2')
        set_undefined(wave, static_cast<Register>(inst.result + 1), shadow.words[1], shadow.written);
}

void set_results_defined(Wave& wave, const Inst& inst, std::uint32_t written) {
    if (inst.row->unit == Unit::kScalar) {
        if (inst.result != isa::kNull) {
            set_scalar_undefined(wave, inst.result, 0);
            if (inst.result_form == '2') set_scalar_undefined(wave, static_cast<Register>(inst.result + 1), 0);
        }
        if (inst.row->scc_out) set_scalar_undefined(wave, isa::kScc, 0);
        return;
    }
    if (inst.mask_out != isa::kNull) set_scalar_undefined(wave, inst.mask_out, 0);
    for_each_write(inst, [&](Register r, isa::Half half) {
        if (isa::is_vector(r)) set_defined(wave, r, written, half);
    });
}

void set_undefined(Wave& wave, Register r, const std::uint32_t* words, std::uint32_t lanes) {
    std::uint32_t undefined = wave.undefined_lanes[r] & ~lanes;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        if (((lanes >> i) & 1u) == 0) continue;
        wave.v_undefined[r][i] = words[i];
        if (words[i] != 0) undefined |= 1u << i;
    }
    set_undefined_lanes(wave, r, undefined);
}

void set_defined(Wave& wave, Register r, std::uint32_t lanes, isa::Half half) {
    const std::uint32_t concerned = wave.undefined_lanes[r] & lanes;
    if (concerned == 0) return;
    if (half == isa::Half::kWhole) {
        set_undefined_lanes(wave, r, wave.undefined_lanes[r] & ~lanes);
        return;
    }
    const std::uint32_t keep = half == isa::Half::kLow ? 0xffff0000u : 0xffffu;
    std::uint32_t undefined = wave.undefined_lanes[r];
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        if (((concerned >> i) & 1u) == 0) continue;
        wave.v_undefined[r][i] &= keep;
        if (wave.v_undefined[r][i] == 0) undefined &= ~(1u << i);
    }
    set_undefined_lanes(wave, r, undefined);
}

void set_scalar_undefined(Wave& wave, Register r, std::uint32_t undefined) {
    if (r == isa::kNull) return;
    const bool upper_exec = r == isa::kExecLo + 1 && wave.upper != nullptr;
    if ((r == isa::kExecLo || upper_exec) && undefined != 0) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(undefined));
        report(wave, FindingKind::kUndefinedDecides, upper_exec ? kLanes + lane : lane, 0,
               "EXEC is written from an undefined value");
        undefined = 0;
    }
    wave.s_undefined[r - isa::kScalar] = undefined;
    if (undefined != 0)
        wave.state[r] |= kUndefinedBits;
    else
        wave.state[r] &= static_cast<std::uint8_t>(~kUndefinedBits);
}

std::uint32_t scalar_undefined(const Wave& wave, Register r) {
    return (wave.state[r] & kUndefinedBits) != 0 ? wave.s_undefined[r - isa::kScalar] : 0u;
}

std::uint64_t scalar_undefined(const Wave& wave, const Source& source) {
    if (source.kind != Source::Kind::kScalar) return 0;
    std::uint64_t undefined = scalar_undefined(wave, source.reg);
    if (source.form == 'h') undefined &= 0xffffu;
    if (source.form == '2')
        undefined |= static_cast<std::uint64_t>(scalar_undefined(wave, static_cast<Register>(source.reg + 1))) << 32;
    return undefined;
}

std::uint32_t undefined_lanes(const Wave& wave, Register r, std::uint32_t lanes) {
    return wave.undefined_lanes[r] & lanes;
}

void require_defined_lanes(Wave& wave, Register r, std::uint32_t lanes, const char* what) {
    const std::uint32_t found = undefined_lanes(wave, r, lanes);
    if (found == 0) return;
    report(wave, FindingKind::kUndefinedDecides, static_cast<std::uint32_t>(std::countr_zero(found)), 0,
           register_name(r) + " holds an undefined value that decides " + what);
}

void require_defined_scalar(Wave& wave, Register r, unsigned dwords, const char* what) {
    for (unsigned i = 0; i < dwords; ++i) {
        const auto reg = static_cast<Register>(r + i);
        if (scalar_undefined(wave, reg) == 0) continue;
        report(wave, FindingKind::kUndefinedDecides, 0, 0,
               register_name(reg) + " holds an undefined value that decides " + what);
        return;
    }
}

} // namespace pm::emu
