// Findings as a SARIF 2.1.0 log, which code-scanning services take as it is.
//
//   write(sarif::log("peacemaker certify", {{.kind = "register read before its wait", .message = "..",
//                                            .place = sarif::place_in("kernels/a.hip:12", root)}}));
//
// Source: OASIS SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0); what code scanning wants beyond it: "SARIF
// support for code scanning" (docs.github.com).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pm::sarif {

enum class Level : std::uint8_t { kError, kWarning, kNote };

/// An instruction of a code object.
struct Instruction {
    std::string function;     // the kernel
    std::int64_t offset = 0;  // bytes from its entry
    std::int64_t address = 0; // bytes from the object's first
};

struct Place {
    std::string uri;        // of the file
    std::uint32_t line = 1; // 1 also where the file is all that is known, or has no lines
    std::optional<Instruction> instruction;
};

struct Finding {
    std::string kind; // a rule's name for people; its id is rule_id(kind)
    Level level = Level::kError;
    std::string message;
    Place place;
    /// What the same finding of another revision has in common with this one, besides kind and file: no lines, no
    /// addresses.
    std::string identity;
};

/// "register read before its wait" becomes "register-read-before-its-wait".
std::string rule_id(std::string_view kind);

/// `FILE` or `FILE:LINE`. The URI is relative where the file lies in `root`, else absolute; a relative file is one of
/// the current folder.
Place place_in(const std::string& file_and_line, const std::filesystem::path& root);

/// One run of `tool` with its rules, those that have a finding. Ends with a newline.
std::string log(std::string_view tool, std::span<const Finding> findings);

} // namespace pm::sarif
