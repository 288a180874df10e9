#include "tests/emu/differential/known_faults.h"

#include <algorithm>

namespace pm::testing {
namespace {

constexpr std::string_view kHoisted = "a conversion is hoisted out of a nested branch, and one path loses its value "
                                      "(structurizecfg of clang 22, llvm/llvm-project#183792)";

constexpr std::string_view kLostHalf = "where two ways meet, a 16-bit value that all lanes share is lost "
                                       "(si-fix-sgpr-copies of clang 22, llvm/llvm-project#222155)";

constexpr std::string_view kLostSign =
    "a half made of a sign-extended byte loses its sign: an SDWA operand of a float has "
    "no sign extension (si-peephole-sdwa, as in llvm/llvm-project#140760)";

constexpr KnownFault kFaults[] = {
    {1, 51, "clang++-22", "-O3", kHoisted},
    {2, 170, "clang++-22", "-O3", kLostHalf},
    {3, 191, "clang++-19", "-O3", kLostSign},
    {3, 191, "clang++-22", "-O3", kLostSign},
};

} // namespace

std::span<const KnownFault> known_faults() { return kFaults; }

const KnownFault* excuse(std::span<const KnownFault> faults, std::uint64_t seed, std::uint32_t function,
                         const Build& build) {
    const auto f = std::ranges::find_if(faults, [&](const KnownFault& k) {
        return k.seed == seed && k.function == function && k.compiler == build.compiler && k.level == build.level;
    });
    return f == faults.end() ? nullptr : &*f;
}

} // namespace pm::testing
