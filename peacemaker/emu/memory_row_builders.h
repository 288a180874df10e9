// How the tables of vector memory instructions are written: the loads, stores and atomics that each space has (GLOBAL,
// FLAT, SCRATCH, BUFFER).
#pragma once

#include "peacemaker/emu/row_builders.h"

#include <cstdint>
#include <string_view>

namespace pm::emu {

constexpr Row memory_row(std::string_view name, Unit unit, Handler handler, std::uint8_t bytes, bool store = false,
                         Extend extend = Extend::kNone) {
    Row r;
    r.name = name;
    r.unit = unit;
    r.handler = handler;
    r.bytes = bytes;
    r.store = store;
    r.extend = extend;
    return r;
}

/// Of a load: to LDS.
constexpr Row filling_lds(Row r) {
    r.to_lds = true;
    return r;
}

inline constexpr std::string_view kNarrowToLdsNote =
    "each lane writes a whole dword, extended as into a register; the ISA gives the dword's address alone";

constexpr Row narrow_to_lds(Row r) { return approximate(filling_lds(r), kNarrowToLdsNote); }

// Loads to LDS. LLVM has the LDS in their names before the size, or behind it.
#define HKC_LDS_LOADS(BEFORE, BEHIND, unit, load)                                                                      \
    narrow_to_lds(memory_row(BEFORE "UBYTE" BEHIND, unit, load<1>, 1, false, Extend::kZero)),                          \
        narrow_to_lds(memory_row(BEFORE "SBYTE" BEHIND, unit, load<1>, 1, false, Extend::kSign)),                      \
        narrow_to_lds(memory_row(BEFORE "USHORT" BEHIND, unit, load<2>, 2, false, Extend::kZero)),                     \
        narrow_to_lds(memory_row(BEFORE "SSHORT" BEHIND, unit, load<2>, 2, false, Extend::kSign)),                     \
        filling_lds(memory_row(BEFORE "DWORD" BEHIND, unit, load<4>, 4))

#define HKC_SPACE(SPACE, unit, load, store)                                                                            \
    memory_row(SPACE "_LOAD_UBYTE", unit, load<1>, 1, false, Extend::kZero),                                           \
        memory_row(SPACE "_LOAD_SBYTE", unit, load<1>, 1, false, Extend::kSign),                                       \
        memory_row(SPACE "_LOAD_USHORT", unit, load<2>, 2, false, Extend::kZero),                                      \
        memory_row(SPACE "_LOAD_SSHORT", unit, load<2>, 2, false, Extend::kSign),                                      \
        memory_row(SPACE "_LOAD_DWORD", unit, load<4>, 4), memory_row(SPACE "_LOAD_DWORDX2", unit, load<8>, 8),        \
        memory_row(SPACE "_LOAD_DWORDX3", unit, load<12>, 12), memory_row(SPACE "_LOAD_DWORDX4", unit, load<16>, 16),  \
        d16(memory_row(SPACE "_LOAD_UBYTE_D16", unit, load<1>, 1, false, Extend::kZero), false),                       \
        d16(memory_row(SPACE "_LOAD_UBYTE_D16_HI", unit, load<1>, 1, false, Extend::kZero), true),                     \
        d16(memory_row(SPACE "_LOAD_SBYTE_D16", unit, load<1>, 1, false, Extend::kSign), false),                       \
        d16(memory_row(SPACE "_LOAD_SBYTE_D16_HI", unit, load<1>, 1, false, Extend::kSign), true),                     \
        d16(memory_row(SPACE "_LOAD_SHORT_D16", unit, load<2>, 2, false, Extend::kZero), false),                       \
        d16(memory_row(SPACE "_LOAD_SHORT_D16_HI", unit, load<2>, 2, false, Extend::kZero), true),                     \
        memory_row(SPACE "_STORE_BYTE", unit, store<1>, 1, true),                                                      \
        d16(memory_row(SPACE "_STORE_BYTE_D16_HI", unit, store<1>, 1, true), true),                                    \
        memory_row(SPACE "_STORE_SHORT", unit, store<2>, 2, true),                                                     \
        d16(memory_row(SPACE "_STORE_SHORT_D16_HI", unit, store<2>, 2, true), true),                                   \
        memory_row(SPACE "_STORE_DWORD", unit, store<4>, 4, true),                                                     \
        memory_row(SPACE "_STORE_DWORDX2", unit, store<8>, 8, true),                                                   \
        memory_row(SPACE "_STORE_DWORDX3", unit, store<12>, 12, true),                                                 \
        memory_row(SPACE "_STORE_DWORDX4", unit, store<16>, 16, true)

constexpr Row memory_atomic(std::string_view name, Unit unit, Handler handler, std::uint8_t bytes, atomics::Op op,
                            std::string_view note = {}) {
    Row r = memory_row(name, unit, handler, bytes);
    r.atomic = op;
    return note.empty() ? r : approximate(r, note);
}

#define HKC_ATOMICS_OF(SPACE, X, unit, handler, bytes, U, I, F)                                                        \
    replacing(memory_atomic(SPACE "_ATOMIC_SWAP" X, unit, handler, bytes, atomics::exchange<U>)),                      \
        memory_atomic(SPACE "_ATOMIC_CMPSWAP" X, unit, handler, bytes, atomics::compare_second<U>),                    \
        memory_atomic(SPACE "_ATOMIC_ADD" X, unit, handler, bytes, atomics::add<U>),                                   \
        memory_atomic(SPACE "_ATOMIC_SUB" X, unit, handler, bytes, atomics::sub<U>),                                   \
        memory_atomic(SPACE "_ATOMIC_SMIN" X, unit, handler, bytes, atomics::smallest<I>),                             \
        memory_atomic(SPACE "_ATOMIC_UMIN" X, unit, handler, bytes, atomics::smallest<U>),                             \
        memory_atomic(SPACE "_ATOMIC_SMAX" X, unit, handler, bytes, atomics::largest<I>),                              \
        memory_atomic(SPACE "_ATOMIC_UMAX" X, unit, handler, bytes, atomics::largest<U>),                              \
        memory_atomic(SPACE "_ATOMIC_AND" X, unit, handler, bytes, atomics::both<U>),                                  \
        memory_atomic(SPACE "_ATOMIC_OR" X, unit, handler, bytes, atomics::either<U>),                                 \
        memory_atomic(SPACE "_ATOMIC_XOR" X, unit, handler, bytes, atomics::differ<U>),                                \
        memory_atomic(SPACE "_ATOMIC_INC" X, unit, handler, bytes, atomics::increment<U>),                             \
        memory_atomic(SPACE "_ATOMIC_DEC" X, unit, handler, bytes, atomics::decrement<U>),                             \
        memory_atomic(SPACE "_ATOMIC_FCMPSWAP" X, unit, handler, bytes, atomics::float_compare_second<F>),             \
        memory_atomic(SPACE "_ATOMIC_FMIN" X, unit, handler, bytes, atomics::float_extreme<F, false>,                  \
                      atomics::kFloatMinMaxNote),                                                                      \
        memory_atomic(SPACE "_ATOMIC_FMAX" X, unit, handler, bytes, atomics::float_extreme<F, true>,                   \
                      atomics::kFloatMinMaxNote)
#define HKC_ATOMICS(SPACE, CSUB, unit, handler)                                                                        \
    HKC_ATOMICS_OF(SPACE, "", unit, handler, 4, std::uint32_t, std::int32_t, float),                                   \
        HKC_ATOMICS_OF(SPACE, "_X2", unit, handler, 8, std::uint64_t, std::int64_t, double),                           \
        memory_atomic(SPACE "_ATOMIC_" CSUB, unit, handler, 4, atomics::sub_clamp),                                    \
        memory_atomic(SPACE "_ATOMIC_COND_SUB_U32", unit, handler, 4, atomics::sub_if),                                \
        memory_atomic(SPACE "_ATOMIC_ADD_F32", unit, handler, 4, atomics::float_add<float>, atomics::kFloatAddNote),   \
        memory_atomic(SPACE "_ATOMIC_PK_ADD_F16", unit, handler, 4, atomics::packed_add<widen_half, round_f16>,        \
                      atomics::kFloatAddNote),                                                                         \
        memory_atomic(SPACE "_ATOMIC_PK_ADD_BF16", unit, handler, 4, atomics::packed_add<widen_bfloat, round_bfloat>,  \
                      atomics::kFloatAddNote)

} // namespace pm::emu
