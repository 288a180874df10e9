// One launch of one kernel of a code object, described as a user types it: what `peacemaker run` does.
//
// Arguments must be those of the kernel's metadata: as many, of their sizes, buffers for buffers. They lie where the
// metadata has them, and exactly their bytes are supplied.
#pragma once

#include "peacemaker/emu/report.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One argument: a buffer of `bytes` bytes with contents, or a scalar's bytes.
struct RunArgument {
    enum class Contents : std::uint8_t { kZero, kUninitialised, kIota, kOnes, kFile };
    bool is_buffer = false;
    std::uint64_t bytes = 0; // a buffer's size
    Contents contents = Contents::kZero;
    std::string file; // kFile
    std::vector<std::byte> scalar;
};

/// `buf:BYTES[:zero|uninit|iota|ones|FILE]` (iota counts 32-bit words, ones are f32 1.0), or `u32:V`, `i32:V`, `u64:V`,
/// `i64:V`, `f32:V`, `f64:V`, `u16:V`, `u8:V`, or `hex:DIGITS`, the bytes of a value as they lie in memory (a
/// structure). Error: what was read and what was expected.
Result<RunArgument> parse_run_argument(std::string_view text);

struct RunRequest {
    std::string file;
    std::string chip;   // of a bundle's entry; empty: the file has one
    std::string kernel; // as named_kernel takes it
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_lds = 0;      // bytes
    std::uint64_t max_instructions = 0; // a wave; 0: as HKC_MAX_INSTRUCTIONS has it (emu/budget.h)
    std::vector<RunArgument> arguments;
    /// Arguments need not be those of the metadata (a null pointer, a stale call site); they are then packed one after
    /// the other, each at a multiple of its own size.
    bool any_arguments = false;
    std::vector<std::size_t> read_back; // arguments whose buffers the host reads: undefined bytes in them are a finding
};

struct RunResult {
    std::string chip;
    emu::Report report;
    std::vector<std::string> notes; // no findings: buffers with undefined bytes that the host was not told to read
    std::vector<std::vector<std::byte>> buffers; // one an argument, after the launch; empty for scalars
};

/// Runs the launch under all checks. Error: the file or the request is refused, nothing ran.
Result<RunResult> run_file(const RunRequest& request);

/// The findings and counts for a person, a finding a paragraph.
std::string report_text(const RunResult& result);

} // namespace pm
