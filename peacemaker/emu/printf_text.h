// What a printf of a kernel prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pm::emu {

/// The text of a message: the format, then an argument for each of its conversions, each a 64-bit word; strings, the
/// format among them, are bytes up to a 0, padded to whole words. Numbers are cut to the conversion's length, as C has
/// it. An argument that is not there counts as 0, or as an empty string; %n writes nothing. A conversion that C does
/// not have is printed as it stands.
std::string printf_text(std::span<const std::uint64_t> message);

} // namespace pm::emu
