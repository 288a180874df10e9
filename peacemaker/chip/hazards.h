// The hazards that chips leave to the program, as [[hazard]] rows of chips.toml.
#pragma once

#include "peacemaker/chip/chip.h"

namespace pm {

/// What certify knows to check.
enum class Hazard : std::uint8_t {
    kTranscendentalUse,
    kVcmpxPermlane,
    kMatrixOperand,
    kSgprRead,
    kMadOverlap,
    kFpAtomicDenorm,
    kLongClause
};

/// One row: the chips that have it, and what a program for them must do.
struct HazardRule {
    Hazard hazard{};
    std::string name, must;
    std::vector<std::string> chips;
};

/// Parses the [[hazard]] rows beside the [[chip]] rows. Error: file:line, what was read and what was expected.
Result<std::vector<HazardRule>> parse_hazards(std::string_view toml_text, const std::string& file);

/// The rows of chips.toml, in its order.
std::span<const HazardRule> hazards();

/// The row of a hazard that the chip has, or null.
const HazardRule* hazard_of(const Chip& chip, Hazard hazard);

} // namespace pm
