#include "peacemaker/isa/registers.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pm::isa {
namespace {

struct Named {
    std::string_view name;
    Register first;
    std::uint8_t dwords;
};

// MC's names of registers that are no numbered run; a suffix (_gfx11plus, ..) is cut off before the look-up.
constexpr Named kNamed[] = {
    {"VCC", kVccLo, 2},
    {"VCC_LO", kVccLo, 1},
    {"VCC_HI", kVccLo + 1, 1},
    {"EXEC", kExecLo, 2},
    {"EXEC_LO", kExecLo, 1},
    {"EXEC_HI", kExecLo + 1, 1},
    {"M0", kM0, 1},
    {"SGPR_NULL", kNull, 1},
    {"SGPR_NULL64", kNull, 2},
    {"SCC", kScc, 1},
    {"SRC_SCC", kScc, 1},
    {"MODE", kMode, 1},
    {"FLAT_SCR", kFlatScratchLo, 2},
    {"FLAT_SCR_LO", kFlatScratchLo, 1},
    {"FLAT_SCR_HI", kFlatScratchLo + 1, 1},
    {"SRC_SHARED_BASE", kSharedBaseLo, 2},
    {"SRC_SHARED_BASE_LO", kSharedBaseLo, 1},
    {"SRC_SHARED_LIMIT", kSharedLimitLo, 2},
    {"SRC_SHARED_LIMIT_LO", kSharedLimitLo, 1},
    {"SRC_PRIVATE_BASE", kPrivateBaseLo, 2},
    {"SRC_PRIVATE_BASE_LO", kPrivateBaseLo, 1},
    {"SRC_PRIVATE_LIMIT", kPrivateLimitLo, 2},
    {"SRC_PRIVATE_LIMIT_LO", kPrivateLimitLo, 1},
};

std::optional<Register> numbered(std::string_view part, std::string_view prefix, Register base, unsigned limit) {
    if (!part.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = part.substr(prefix.size());
    unsigned number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number >= limit) return std::nullopt;
    return static_cast<Register>(base + number);
}

std::optional<Register> numbered(std::string_view part) {
    if (const auto v = numbered(part, "VGPR", 0, 256)) return v;
    if (const auto s = numbered(part, "SGPR", kScalar, 106)) return s;
    return numbered(part, "TTMP", kTtmp0, 16);
}

} // namespace

RegisterRef register_of_mc_name(std::string_view name) {
    if (const std::size_t suffix = name.find("_gfx"); suffix != std::string_view::npos) name = name.substr(0, suffix);
    for (const Named& n : kNamed)
        if (n.name == name) return {n.first, n.dwords, Half::kWhole};
    RegisterRef ref;
    if (name.ends_with("_LO16")) ref.half = Half::kLow;
    if (name.ends_with("_HI16")) ref.half = Half::kHigh;
    if (ref.half != Half::kWhole) name.remove_suffix(5);
    // A run is spelled out, VGPR2_VGPR3_..: its members are consecutive, so the first and the count are enough.
    const std::size_t cut = name.find('_');
    const auto first = numbered(name.substr(0, cut));
    if (!first) return {};
    ref.first = *first;
    ref.dwords = static_cast<std::uint8_t>(1 + std::count(name.begin(), name.end(), '_'));
    return ref;
}

} // namespace pm::isa
