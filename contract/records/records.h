// Resource records: what each kernel cost on each chip when a known compiler built it. One JSON file a toolchain and
// family, records/<toolchain>/<family>.json; docs/records.md holds the schema.
//
// Reading is strict: an unknown or missing key, a wrong type, an unknown chip or a truncated file is an Error naming
// file and place.
#pragma once

#include "contract/toolchain/fingerprint.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hkc::records {

/// The version that is written, and the only one that is read.
inline constexpr std::uint32_t kFormat = 1;

/// A field of pm::Resources by the name that records and RECORD lines use.
struct Field {
    std::string_view name;
    std::uint32_t pm::Resources::*value;
};
/// Every field, in the order of RECORD lines.
const std::array<Field, 9>& fields();

/// Records of one chip, all taken from objects of one fingerprint.
struct ChipRecords {
    Fingerprint fingerprint;
    std::map<std::string, pm::Resources, std::less<>> kernels; // by symbol

    bool operator==(const ChipRecords&) const = default;
};

struct RecordFile {
    std::string toolchain;
    std::string family;
    std::map<std::string, ChipRecords, std::less<>> chips;

    bool operator==(const RecordFile&) const = default;
};

/// records/<toolchain>/<family>.json under `root`.
std::filesystem::path path_of(const std::filesystem::path& root, std::string_view toolchain, std::string_view family);

/// `where` is how messages call the text. Toolchain and family must be those given.
pm::Result<RecordFile> parse(std::string_view json_text, const std::string& where, std::string_view toolchain,
                             std::string_view family);

/// The file's records, or nothing where there is no such file. Error: it is there and cannot be read.
pm::Result<std::optional<RecordFile>> load(const std::filesystem::path& root, std::string_view toolchain,
                                           std::string_view family);

/// The text that parse() reads back to an equal value; one kernel a line, sorted.
std::string to_json(const RecordFile& file);

} // namespace hkc::records
