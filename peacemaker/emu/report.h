// What a launch on the embedded device says besides its results: findings and fidelity, as plain data and as JSON.
//
// The JSON form is what the optional extension `pmTakeReport` of the embedded device's HIP library returns:
//   { "findings": [ { "kind", "kernel", "address", "detail", "count",
//                     and where an instruction is to blame:
//                     "instruction", "offset", "source", "workgroup": [x,y,z], "wave", "lane" } ],
//     "unsupported": [ "unsupported instruction v_foo at kernel+0x40" ], "refused": [ "why a launch did not start" ],
//     "fidelity": { "exact": N, "approximate": N, "notes": { "v_rcp_f32": "within 1 ulp" } },
//     "instructions": N, "lane_operations": N, "launches": N }
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pm::emu {

/// The kinds of fault that execution can show.
enum class FindingKind : std::uint8_t {
    kReadOutOfBounds,
    kWriteOutOfBounds,
    kReadOnlyWritten,
    kUsedBeforeWait,
    kOverwrittenBeforeWait,
    kUndefinedDecides,
    kUndefinedOutput,
    kKernargNotSupplied,
    kRegisterOutsideAllocation,
    kLdsOutOfBounds,
    kLdsRace,
    kGlobalRace,
    kBarrierDivergence,
    kMisaligned,
    kTrap,
};

/// The kind as reports print it and as controls name it.
std::string_view finding_kind_name(FindingKind kind);
std::vector<std::string> finding_kind_names();

/// One fault; further ones of the same kind at the same instruction are counted here.
struct Finding {
    FindingKind kind{};
    std::string kernel;
    std::string instruction; // as llvm-objdump prints it; empty where no instruction is to blame
    std::int64_t offset = 0; // bytes from the kernel's entry; negative in a function before it
    std::string source;      // file:line where known
    std::array<std::uint32_t, 3> workgroup{};
    std::uint32_t wave = 0; // within the workgroup
    std::uint32_t lane = 0; // the first lane concerned
    std::uint64_t address = 0;
    std::string detail;
    std::uint64_t count = 1;
};

/// Findings and counts of one or more launches.
struct Report {
    std::vector<Finding> findings;
    std::vector<std::string> unsupported;     // what stopped a launch; each text once
    std::vector<std::string> refused;         // launches that did not start, and why; each text once
    std::uint64_t exact = 0;                  // executed wave instructions whose answer is bit-exact
    std::uint64_t approximate = 0;            // those with a documented answer within a tolerance
    std::map<std::string, std::string> notes; // approximate instructions: which answer, which bound
    std::uint64_t instructions = 0;
    std::uint64_t lane_operations = 0; // vector instructions times active lanes
    std::uint64_t launches = 0;

    /// Adds `finding`, or counts it where there is one of its kind, kernel and offset (and address, where no kernel is
    /// to blame).
    void add(const Finding& finding);
    /// Adds `other`, finding by finding.
    void merge(const Report& other);
};

std::string to_json(const Report& report);

} // namespace pm::emu
