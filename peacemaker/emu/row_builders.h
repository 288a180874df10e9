// How the tables of vector rows are written.
#pragma once

#include "peacemaker/emu/row.h"

namespace pm::emu {

constexpr Row row(std::string_view name, std::string_view shape, Compute compute, ShadowRule shadow,
                  std::uint8_t controls = 0) {
    Row r;
    r.name = name;
    r.unit = Unit::kVector;
    r.shape = shape;
    r.compute = compute;
    r.shadow = shadow;
    r.controls = controls;
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
constexpr Row mask_to(Row r) {
    r.mask_out = true;
    return r;
}
constexpr Row mask_through(Row r, bool in, bool out) {
    r.mask_in = in;
    r.mask_out = out;
    return r;
}
/// `choose` gives the arithmetic under CLAMP, and for integer dot products under the sign bits of the sources.
constexpr Row with_variants(Row r, ChooseCompute choose) {
    r.variant = choose;
    return r;
}

} // namespace pm::emu
