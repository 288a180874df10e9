#include "peacemaker/object/descriptor.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace pm {
namespace {

/// A word of the descriptor.
struct Word {
    std::string_view name;
    std::uint32_t (*of)(const KernelDescriptor& descriptor);
};
constexpr Word kRsrc1{"compute_pgm_rsrc1", [](const KernelDescriptor& d) { return d.compute_pgm_rsrc1; }};
constexpr Word kRsrc2{"compute_pgm_rsrc2", [](const KernelDescriptor& d) { return d.compute_pgm_rsrc2; }};
constexpr Word kRsrc3{"compute_pgm_rsrc3", [](const KernelDescriptor& d) { return d.compute_pgm_rsrc3; }};
constexpr Word kProperties{"kernel_code_properties",
                           [](const KernelDescriptor& d) { return std::uint32_t{d.kernel_code_properties}; }};
constexpr Word kPreload{"kernarg_preload", [](const KernelDescriptor& d) { return std::uint32_t{d.kernarg_preload}; }};

enum class Else { kFault, kUnmodelled };

/// Bits with one value for the chips of some generations.
struct Fixed {
    Word word;
    unsigned shift, width;
    std::string_view name; // empty: reserved
    std::uint32_t value;
    std::uint32_t first_generation, last_generation;
    Else otherwise;
};

constexpr std::uint32_t kFirst = 10, kLast = 12;

// The count of SGPRs is read by no chip from gfx10 on, and older compilers write one.
constexpr std::array kFixed = {
    Fixed{kRsrc1, 10, 2, "PRIORITY", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc1, 20, 1, "PRIV", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc1, 22, 1, "DEBUG_MODE", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc1, 23, 1, "DISABLE_PERF", 0, 12, kLast, Else::kFault},
    Fixed{kRsrc1, 24, 1, "BULKY", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc1, 25, 1, "CDBG_USER", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc1, 27, 2, "", 0, kFirst, kLast, Else::kFault},
    // Without it loads of one type may come back in any order, and a wait for a count says nothing of which are there.
    Fixed{kRsrc1, 30, 1, "MEM_ORDERED", 1, kFirst, kLast, Else::kUnmodelled},
    Fixed{kRsrc2, 6, 1, "ENABLE_TRAP_HANDLER", 0, kFirst, 11, Else::kFault},
    Fixed{kRsrc2, 6, 1, "ENABLE_DYNAMIC_VGPR", 0, 12, kLast, Else::kUnmodelled},
    Fixed{kRsrc2, 13, 1, "ENABLE_EXCEPTION_ADDRESS_WATCH", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc2, 14, 1, "ENABLE_EXCEPTION_MEMORY", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc2, 15, 9, "GRANULATED_LDS_SIZE", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc2, 24, 7, "ENABLE_EXCEPTION_*", 0, kFirst, kLast, Else::kUnmodelled},
    Fixed{kRsrc2, 31, 1, "", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc3, 0, 4, "", 0, 12, kLast, Else::kFault},
    Fixed{kRsrc3, 4, 8, "", 0, kFirst, 10, Else::kFault},
    Fixed{kRsrc3, 10, 1, "TRAP_ON_START", 0, 11, 11, Else::kFault},
    Fixed{kRsrc3, 11, 1, "TRAP_ON_END", 0, 11, 11, Else::kFault},
    Fixed{kRsrc3, 12, 1, "", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc3, 13, 1, "", 0, kFirst, 11, Else::kFault},
    Fixed{kRsrc3, 13, 1, "GLG_EN", 0, 12, kLast, Else::kUnmodelled},
    Fixed{kRsrc3, 14, 17, "", 0, kFirst, kLast, Else::kFault},
    Fixed{kRsrc3, 31, 1, "", 0, kFirst, 10, Else::kFault},
    Fixed{kProperties, 7, 3, "", 0, kFirst, kLast, Else::kFault},
    Fixed{kProperties, 12, 4, "", 0, kFirst, kLast, Else::kFault},
    // Chips that put arguments into SGPRs before the first instruction are others.
    Fixed{kPreload, 0, 16, "", 0, kFirst, kLast, Else::kFault},
};

std::string text_of(const Fixed& field, std::uint32_t is) {
    const std::string bits = field.width == 1
                                 ? fmt::format("bit {}", field.shift)
                                 : fmt::format("bits {} to {}", field.shift, field.shift + field.width - 1);
    return fmt::format("{} {} ({}) {} {:#x}, {} {:#x}", field.word.name, bits,
                       field.name.empty() ? "reserved" : field.name, field.width == 1 ? "is" : "are", is,
                       field.otherwise == Else::kFault ? "must be" : "followed only as", field.value);
}

/// SGPRs that the enabled user values take ("Initial Kernel Execution State").
std::uint32_t user_sgprs(std::uint32_t enabled) {
    constexpr std::array<std::uint32_t, 7> kOfBit = {4, 2, 2, 2, 2, 2, 1};
    std::uint32_t count = 0;
    for (unsigned bit = 0; bit < kOfBit.size(); ++bit) count += descriptor_field(enabled, bit, 1) * kOfBit[bit];
    return count;
}

} // namespace

DescriptorProblems descriptor_problems(const Chip& chip, const Kernel& kernel) {
    const KernelDescriptor& d = kernel.descriptor;
    DescriptorProblems found;
    for (const Fixed& field : kFixed) {
        if (chip.generation < field.first_generation || chip.generation > field.last_generation) continue;
        const std::uint32_t is = descriptor_field(field.word.of(d), field.shift, field.width);
        if (is == field.value) continue;
        (field.otherwise == Else::kFault ? found.faults : found.unmodelled).push_back(text_of(field, is));
    }
    if (kernel.resources.wave == 32 && chip.generation < 12 && descriptor_field(d.compute_pgm_rsrc3, 0, 4) != 0)
        found.faults.push_back(fmt::format("compute_pgm_rsrc3 bits 0 to 3 (SHARED_VGPR_COUNT) are {}, must be 0 for "
                                           "waves of 32 lanes",
                                           descriptor_field(d.compute_pgm_rsrc3, 0, 4)));
    if (descriptor_field(d.compute_pgm_rsrc2, 11, 2) == 3)
        found.faults.emplace_back("compute_pgm_rsrc2 bits 11 to 12 (ENABLE_VGPR_WORKITEM_ID) are 3, must be 0 to 2");
    const std::uint32_t needed = user_sgprs(d.kernel_code_properties);
    if (const std::uint32_t granted = descriptor_field(d.compute_pgm_rsrc2, 1, 5); granted < needed)
        found.faults.push_back(
            fmt::format("USER_SGPR_COUNT is {}, and what kernel_code_properties enables takes {}", granted, needed));
    if (const std::uint32_t granted = granted_vgprs(chip, kernel); granted < kernel.resources.vgpr)
        found.faults.push_back(fmt::format("it grants {} VGPRs, and the metadata says that the kernel takes {}",
                                           granted, kernel.resources.vgpr));
    if (d.private_segment_fixed_size != 0 && descriptor_field(d.compute_pgm_rsrc2, 0, 1) == 0)
        found.faults.push_back(
            fmt::format("it has {} bytes of scratch, and ENABLE_PRIVATE_SEGMENT is 0", d.private_segment_fixed_size));
    return found;
}

} // namespace pm
