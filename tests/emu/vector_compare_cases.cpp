#include "tests/emu/row_coverage.h"
#include "tests/emu/vector_cases.h"

#include <bit>
#include <cmath>

namespace pm::testing {
namespace {

// ISA documents, "Vector ALU comparison operations".
constexpr Predicate kIntegerPredicates[] = {{"LT", kLess},    {"EQ", kEqual},           {"LE", kLess | kEqual},
                                            {"GT", kGreater}, {"NE", kLess | kGreater}, {"GE", kGreater | kEqual}};
Outcome outcome(std::string_view type, std::uint64_t a, std::uint64_t b) {
    if (type == "I32") return outcome_of<__int128>(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    if (type == "U32") return outcome_of<__int128>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    if (type == "I64") return outcome_of<__int128>(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    if (type == "U64") return outcome_of<__int128>(a, b);
    const auto x = static_cast<long double>(std::bit_cast<float>(static_cast<std::uint32_t>(a)));
    const auto y = static_cast<long double>(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
    return outcome_of(x, y);
}

void add(std::vector<VectorCase>& all, const Predicate& p, const std::string& type) {
    const std::string operands = type.ends_with("64") ? "v[4:5], v[6:7]" : "v4, v6";
    for (const bool x : {false, true}) {
        VectorCase c;
        c.row = std::string(x ? "V_CMPX_" : "V_CMP_") + p.name + "_" + type;
        // The scalar destination of VOP3 on every second one.
        const bool vop3 = !x && p.name[0] == 'L';
        c.mask_register = vop3 ? "s20" : "vcc_lo";
        c.assembly = lower(c.row) + (x ? "_e32 " : vop3 ? "_e64 s20, " : "_e32 vcc_lo, ") + operands;
        c.values = type == "F32" ? Values::kFloats : Values::kIntegers;
        c.writes_exec = x;
        c.expected = [p, type](const LaneIn& in) {
            return LaneOut{in.d, (outcome(type, in.a, in.b) & p.outcomes) != 0};
        };
        all.push_back(std::move(c));
    }
}

} // namespace

std::vector<VectorCase> compare_cases() {
    std::vector<VectorCase> all;
    for (const char* type : {"I32", "U32", "I64", "U64"})
        for (const Predicate& p : kIntegerPredicates) add(all, p, type);
    for (const Predicate& p : kFloatPredicates) add(all, p, "F32");
    return all;
}

} // namespace pm::testing
