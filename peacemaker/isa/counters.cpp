#include "peacemaker/isa/counters.h"

namespace pm::isa {

Counter counter_of(const Chip& chip, ReturnClass cls) {
    switch (cls) {
    case ReturnClass::kVectorLoad:
    case ReturnClass::kFlat:
        return Counter::kLoad;
    case ReturnClass::kLdsOp:
        return Counter::kLgkm;
    case ReturnClass::kScalarLoad:
        return chip.counters.km != 0 ? Counter::kKm : Counter::kLgkm;
    }
    return Counter::kLoad;
}

std::uint32_t capacity_of(const Chip& chip, Counter counter) {
    switch (counter) {
    case Counter::kLoad:
        return chip.counters.load;
    case Counter::kLgkm:
        return chip.counters.lgkm;
    case Counter::kKm:
        return chip.counters.km;
    }
    return 0;
}

bool returns_in_order(ReturnClass cls) { return cls != ReturnClass::kScalarLoad; }

bool writes_in_order(const Chip& chip, ReturnClass cls) {
    if (cls == ReturnClass::kVectorLoad) return chip.vmem_loads_in_order;
    return cls == ReturnClass::kLdsOp;
}

LoadAndLgkm waitcnt_field(const Chip& chip, std::uint32_t field) {
    if (chip.generation == 10) return {(field & 15U) | (field >> 14 & 3U) << 4, field >> 8 & 63U};
    return {field >> 10 & 63U, field >> 4 & 63U};
}

LoadAndLgkm loadcnt_dscnt_field(std::uint32_t field) { return {field >> 8 & 63U, field & 63U}; }

} // namespace pm::isa
