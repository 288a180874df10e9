// The lines by which an audit hands records on:
//
//   FINGERPRINT <toolchain> <chip> <family> {"idents":[..],"flags":[..],"linkers":[..]}
//   RECORD <toolchain> <chip> <kernel> vgpr=.. sgpr=.. lds=.. scratch=.. vgpr_spill=.. sgpr_spill=.. wave=..
//   max_block=.. kernarg=..
//
// A RECORD belongs to the last FINGERPRINT before it of the same toolchain and chip. Lines that begin otherwise are no
// concern of ours.
#pragma once

#include "contract/records/records.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkc::records {

struct FingerprintLine {
    std::uint32_t line = 0; // in the log; 0 where it was not read from one
    std::string toolchain, chip, family;
    Fingerprint fingerprint;
};

struct RecordLine {
    std::uint32_t line = 0;
    std::string toolchain, chip, family, kernel; // the family is that of its FINGERPRINT
    Fingerprint fingerprint;                     // likewise
    pm::Resources resources;
};

/// Without a line end.
std::string fingerprint_text(std::string_view toolchain, std::string_view chip, std::string_view family,
                             const Fingerprint& fingerprint);
std::string record_text(std::string_view toolchain, std::string_view chip, std::string_view kernel,
                        const pm::Resources& resources);

/// The command that makes what a toolchain's objects cost its records.
std::string record_command(std::string_view toolchain);

/// What to do about objects that differ from their records, as a line without an end.
std::string how_to_record_changes(std::string_view toolchain);

struct Log {
    std::vector<FingerprintLine> fingerprints;
    std::vector<RecordLine> records;
};

/// Error: `where:line`, what was read and what was expected; every wrong line is listed.
pm::Result<Log> parse_log(std::string_view text, const std::string& where);

} // namespace hkc::records
