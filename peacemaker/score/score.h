// Whether certify notices each wait, barrier and mask that is weakened.
//
//   const auto report = pm::score::score(*object, "k.co", {.kernels = "*", .jobs = 2});
//   if (report) fmt::print("{}", pm::score::report_text({&*report, 1}));
#pragma once

#include "peacemaker/certify/certify.h"
#include "peacemaker/mutate/weaken.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/score/outstanding.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::score {

enum class Fate : std::uint8_t {
    kKilled,     // noticed
    kEquivalent, // proved to do what the original does
    kMissed,
    kUnchecked // the original could not be followed, or was not asked
};
std::string_view fate_name(Fate fate);

struct Scored {
    mutate::Mutant mutant;
    Fate fate = Fate::kMissed;
    std::string reason; // what noticed it, what proves it, or why it was not asked
};

/// The mutants of one object.
struct Report {
    std::string where, chip;
    std::vector<Scored> mutants; // by kernel and place
};

struct Options {
    std::string kernels = "*";
    std::vector<mutate::Target> targets; // empty: all
    unsigned jobs = 1;                   // threads
    certify::Options launch{};           // that originals and mutants are certified for
};

/// By Fate.
using Counts = std::array<std::size_t, 4>;
Counts count(const Report& report, mutate::Target target);
Counts count(std::span<const Report> reports);

/// The proof that a mutant does what the original does, or nothing:
/// - a wait whose every weakened count no path exceeds (outstanding_before): it waits for nothing; or before which no
///   path leaves more than cache invalidations outstanding;
/// - a barrier of a workgroup that is one wave: `items`, or without it as many work-items as the kernel allows;
/// - s_clause, which decides about order of requests alone (RDNA ISA documents, S_CLAUSE).
/// What certify says of the mutant is no proof.
std::string equivalence(const Kernel& kernel, const mutate::Mutant& mutant,
                        const std::map<std::uint64_t, Outstanding>* before, std::optional<std::uint64_t> items);

/// Mutants of those kernels and targets, certified one by one in memory. Noticed is one whose
/// certificate has an obligation, by kind and place, that the original's does not have. Error: as mutants_of.
Result<Report> score(const CodeObject& object, const std::string& where, const Options& options);

/// A line a survivor, a line a target of each object, and one for all:
/// `SCORE FILE CHIP wait: N mutants: N killed, N equivalent, N missed: P %`.
std::string report_text(std::span<const Report> reports);
/// One JSON object of the same, `schema` 1. Ends with a newline.
std::string report_json(std::span<const Report> reports);

} // namespace pm::score
