// Static proof, a kernel at a time, on the bytes that ship: memory waits, barriers, LDS, registers.
//
//   auto object = pm::read_code_object("k.co");
//   auto report = pm::certify::certify(*object);
//   fmt::print("{}", pm::certify::report_text(*report, "k.co"));
#pragma once

#include "peacemaker/certify/obligation.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::lift {
class Forms;
}

namespace pm::certify {

/// Open beats unchecked where a fault was found on what could be followed.
enum class Verdict : std::uint8_t { kCertified, kOpen, kUnchecked };
std::string_view verdict_name(Verdict verdict);

/// One obligation that is left open, for people and for programs.
struct Open {
    std::string_view kind;
    bool fault = false;      // a path shows it; else it was not shown
    std::uint64_t at = 0;    // bytes from the kernel's entry
    std::string instruction; // as llvm-objdump prints it
    std::string source;      // FILE:LINE where the object tells; else empty
    std::string detail;
    std::vector<std::string> path; // "+0x40 ds_load_b32 v2, v1" from the cause on, the last one left out
};

struct KernelCertificate {
    std::string kernel;
    Verdict verdict = Verdict::kUnchecked;
    std::uint64_t instructions = 0; // that control reaches
    std::uint64_t operations = 0;   // memory operations whose completion was followed
    std::uint64_t barriers = 0;
    std::vector<Open> open;
    std::vector<std::string> unchecked;   // why the kernel could not be followed as a whole
    std::vector<std::string> assumptions; // what the verdict holds for, beyond what docs/peacemaker.md says of all
};

/// The launch that the verdicts are about, as far as it is known.
struct Options {
    /// Work-items of a workgroup, each at least 1; without it what a kernel requires, else as many as it allows, in one
    /// dimension.
    std::optional<std::array<std::uint32_t, 3>> workgroup;
    std::optional<std::uint32_t> dynamic_lds; // bytes that the launch adds to each workgroup's LDS
};

struct Certificate {
    std::string chip;
    std::vector<KernelCertificate> kernels; // in the object's order
};

/// Kernels whose name matches the glob. Error: none does.
Result<Certificate> certify(const CodeObject& object, std::string_view kernels = "*", const Options& options = {});
/// The same, with the instructions of the object's chip in waves of 32 that were met before, as by lift.
Result<Certificate> certify(const CodeObject& object, lift::Forms& forms, std::string_view kernels = "*",
                            const Options& options = {});

/// One kernel as some launch calls it.
struct Request {
    std::string kernel; // its name
    Options options;
};
/// A certificate's kernel for each request, in their order. Error: the object has no such kernel.
Result<Certificate> certify(const CodeObject& object, std::span<const Request> requests);

/// One line a kernel that is not certified and obligation, then `CERTIFY FILE CHIP N kernels: ..`.
std::string report_text(const Certificate& certificate, std::string_view file);
/// One JSON object of the same, `schema` 1. Ends with a newline.
std::string report_json(const Certificate& certificate, std::string_view file);

} // namespace pm::certify
