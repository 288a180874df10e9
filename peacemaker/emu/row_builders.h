// How the tables of rows are written: rows of vector instructions, and what any row may have besides.
#pragma once

#include "peacemaker/emu/row.h"

namespace pm::emu {

constexpr Row row(std::string_view name, std::string_view shape, Compute compute, ShadowRule shadow,
                  std::uint8_t controls = 0, std::uint32_t control_bits = ~0u) {
    Row r;
    r.name = name;
    r.unit = Unit::kVector;
    r.shape = shape;
    r.compute = compute;
    r.shadow = shadow;
    r.controls = controls;
    r.control_bits = control_bits;
    return r;
}
constexpr Row floating(Row r) {
    r.is_float = true;
    return r;
}
constexpr Row to_integer(Row r) {
    r.is_float = true;
    r.integer_result = true;
    return r;
}
constexpr Row keeping_subnormals(Row r) {
    r.keeps_subnormals = true;
    return r;
}
constexpr Row accumulating(Row r) {
    r.accumulates = true;
    return r;
}
constexpr Row approximate(Row r, std::string_view note) {
    r.exactness = Exactness::kApproximate;
    r.note = note;
    return r;
}
/// Of 16-bit data in memory: the high half of the register, or the low one.
constexpr Row d16(Row r, bool high) {
    r.half = !r.store;
    r.high = high;
    return r;
}
/// Of an atomic: the old value does not enter the new one.
constexpr Row replacing(Row r) {
    r.replaces = true;
    return r;
}
constexpr Row mask_to(Row r) {
    r.mask_out = true;
    return r;
}
constexpr Row mask_through(Row r, bool in, bool out) {
    r.mask_in = in;
    r.mask_out = out;
    return r;
}
/// A wave64 executes it on both halves at once.
constexpr Row whole_wave(Row r) {
    r.whole_wave = true;
    return r;
}
/// Lanes 32 to 63 of a wave64 compute something else.
constexpr Row in_upper_half(Row r, Compute compute) {
    r.upper_compute = compute;
    return r;
}
/// The byte selector chooses what of the first source is read.
constexpr Row byte_of_source(Row r) {
    r.byte_field = ByteField::kSource;
    return r;
}
/// The byte selector chooses what of the result is written.
constexpr Row byte_of_result(Row r) {
    r.byte_field = ByteField::kResult;
    return r;
}
/// Its immediates are halves, not clamp and output modifier.
constexpr Row with_op_sel_field(Row r) {
    r.op_sel_field = true;
    return r;
}
constexpr Row plain_sources(Row r) {
    r.plain_sources = true;
    return r;
}
/// `choose` gives the arithmetic under CLAMP, and for integer dot products under the sign bits of the sources.
constexpr Row with_variants(Row r, ChooseCompute choose) {
    r.variant = choose;
    return r;
}

} // namespace pm::emu

/// Every ordered comparison: X(name, less, equal, greater, unordered), by which outcomes count as true.
#define HKC_FLOAT_CONDITIONS(X)                                                                                        \
    X("LT", true, false, false, false), X("EQ", false, true, false, false), X("LE", true, true, false, false),         \
        X("GT", false, false, true, false), X("LG", true, false, true, false), X("GE", false, true, true, false),      \
        X("O", true, true, true, false), X("U", false, false, false, true), X("NGE", true, false, false, true),        \
        X("NLG", false, true, false, true), X("NGT", true, true, false, true), X("NLE", false, false, true, true),     \
        X("NEQ", true, false, true, true), X("NLT", false, true, true, true)
