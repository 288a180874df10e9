#include "peacemaker/emu/waits.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pm::emu {
namespace {

template <typename F>
void for_each_register(const Outstanding& o, F f) {
    for (std::uint32_t i = 0; i < o.count; ++i)
        if (((o.mask >> i) & 1u) != 0) f(static_cast<Register>(o.first + i));
}

std::uint32_t& lanes_of(const Wave& half, Outstanding& o) { return half.lower != nullptr ? o.lanes_upper : o.lanes; }

void mark_half(Wave& wave, const Outstanding& o, std::uint32_t lanes) {
    for_each_register(o, [&](Register r) {
        if (r == isa::kNull) return;
        if (isa::is_vector(r)) {
            if (r >= 256) return;
            if (o.half != isa::Half::kHigh) wave.in_flight_low[r] |= lanes;
            if (o.half != isa::Half::kLow) wave.in_flight_high[r] |= lanes;
            if (lanes == 0) return;
        }
        wave.state[r] |= kInFlight;
    });
}

void mark(Wave& wave, const Outstanding& o) {
    mark_half(wave, o, o.lanes);
    if (wave.upper != nullptr) mark_half(*wave.upper, o, o.lanes_upper);
}

void clear_half(Wave& wave, const Outstanding& o) {
    for_each_register(o, [&](Register r) {
        wave.state[r] &= static_cast<std::uint8_t>(~kInFlight);
        if (isa::is_vector(r)) wave.in_flight_low[r] = wave.in_flight_high[r] = 0;
    });
}

// An operation completed: clears its registers.
void clear(Wave& wave, const Outstanding& o) {
    clear_half(wave, o);
    if (wave.upper != nullptr) clear_half(*wave.upper, o);
}

void report_outside(Wave& wave, Register r, bool writes) {
    report(wave, FindingKind::kRegisterOutsideAllocation, 0, 0,
           register_name(r) + (writes ? " is written" : " is read") + ", the kernel descriptor grants fewer registers");
}

} // namespace

void wait_for(Wave& wave, Counter counter, std::uint32_t n) {
    OutstandingList& list = wave.outstanding[static_cast<std::size_t>(counter)];
    if (list.size <= n) return;
    std::array<std::uint32_t, isa::kReturnClasses> younger{};
    for (std::uint32_t i = 0; i < list.size; ++i) ++younger[static_cast<std::size_t>(list.of[i].cls)];
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < list.size; ++i) {
        const Outstanding o = list.of[i];
        const std::uint32_t behind = --younger[static_cast<std::size_t>(o.cls)];
        const bool certain = n == 0 || (isa::returns_in_order(o.cls) && behind >= n);
        if (certain)
            clear(wave, o);
        else
            list.of[kept++] = o;
    }
    if (kept == list.size) return;
    list.size = kept;
    // A register that another operation still writes was cleared with the others.
    for (const OutstandingList& other : wave.outstanding)
        for (std::uint32_t i = 0; i < other.size; ++i) mark(wave, other.of[i]);
}

namespace {

void append(Wave& half, const Outstanding& operation) {
    Wave& wave = half.whole();
    const Chip& chip = *wave.worker->chip;
    const Counter counter = isa::counter_of(chip, operation.cls);
    OutstandingList& list = wave.outstanding[static_cast<std::size_t>(counter)];
    const std::uint32_t cls = 1u << static_cast<std::uint32_t>(operation.cls);
    if (half.lower != nullptr && (wave.issued & cls) != 0) {
        // One operation for both halves, which the lower one has issued just now.
        Outstanding& last = list.of[list.size - 1];
        last.lanes_upper = operation.lanes;
        mark(wave, last);
        return;
    }
    wave.issued |= cls;
    const std::uint32_t limit = std::min(isa::capacity_of(chip, counter), kMostOutstanding);
    if (list.size >= limit) wait_for(wave, counter, limit - 1);
    // Without a return order nothing is certain of a full counter; the oldest entry is given up all the same.
    if (list.size == kMostOutstanding) std::move(list.of.begin() + 1, list.of.end(), list.of.begin()), --list.size;
    Outstanding& added = list.of[list.size++];
    added = operation;
    added.inst = wave.pc;
    added.step = wave.step();
    if (half.lower != nullptr) std::swap(added.lanes, added.lanes_upper);
    mark(wave, added);
}

} // namespace

void issue(Wave& half, const Outstanding& operation) {
    Wave& wave = half.whole();
    const bool ordered = isa::writes_in_order(*wave.worker->chip, operation.cls);
    for_each_register(operation, [&](Register r) {
        if (r == isa::kNull) return;
        if ((half.state[r] & kOutside) != 0) report_outside(half, r, true);
        if ((half.state[r] & kInFlight) == 0) return;
        // In flight by operations of the same ordered class alone is no fault.
        std::uint32_t clash = 0;
        for (OutstandingList& other : wave.outstanding)
            for (std::uint32_t i = 0; i < other.size; ++i) {
                Outstanding& o = other.of[i];
                if (r < o.first || r >= o.first + o.count || ((o.mask >> (r - o.first)) & 1u) == 0) continue;
                if (ordered && o.cls == operation.cls) continue;
                const bool halves_meet =
                    o.half == isa::Half::kWhole || operation.half == isa::Half::kWhole || o.half == operation.half;
                if (halves_meet) clash |= isa::is_vector(r) ? lanes_of(half, o) & operation.lanes : 1u;
            }
        if (clash != 0)
            report(half, FindingKind::kOverwrittenBeforeWait, static_cast<std::uint32_t>(std::countr_zero(clash)), 0,
                   register_name(r) + " is still to be written by an earlier load");
    });
    if (operation.cls != ReturnClass::kFlat) {
        append(half, operation);
        return;
    }
    for (const ReturnClass cls : {ReturnClass::kVectorLoad, ReturnClass::kLdsOp}) {
        Outstanding one = operation;
        one.cls = cls;
        append(half, one);
    }
}

void complete(Wave& wave, Register r) {
    for (OutstandingList& list : wave.outstanding) {
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < list.size; ++i)
            if (list.of[i].first != r) list.of[kept++] = list.of[i];
        list.size = kept;
    }
    wave.state[r] &= static_cast<std::uint8_t>(~kInFlight);
}

std::uint32_t lanes_in_flight(const Wave& wave, Register r, std::uint32_t lanes, isa::Half half) {
    if (!isa::is_vector(r)) return (wave.state[r] & kInFlight) != 0 ? 1u : 0u;
    std::uint32_t in_flight = 0;
    if (half != isa::Half::kHigh) in_flight |= wave.in_flight_low[r];
    if (half != isa::Half::kLow) in_flight |= wave.in_flight_high[r];
    return in_flight & lanes;
}

void check_register(Wave& wave, Register r, std::uint32_t lanes, isa::Half half, bool writes) {
    const std::uint8_t state = wave.state[r];
    if ((state & kOutside) != 0) report_outside(wave, r, writes);
    if ((state & kInFlight) == 0) return;
    const std::uint32_t late = lanes_in_flight(wave, r, lanes, half);
    if (late == 0) return;
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(late));
    if (writes)
        report(wave, FindingKind::kOverwrittenBeforeWait, lane, 0,
               register_name(r) + " is still to be written by an earlier load");
    else
        report(wave, FindingKind::kUsedBeforeWait, lane, 0,
               register_name(r) + " is read while the load that fills it is in flight");
}

} // namespace pm::emu
