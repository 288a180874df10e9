#include "contract/runner/merge.h"

#include "contract/runner/choose.h"
#include "contract/runner/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace hkc {
namespace {

/// A report beside the name of its file.
struct Part {
    std::string name;
    ReadReport report;
};

/// The shards of one list of chips, in any order.
using Group = std::vector<Part>;

std::string chips_text(const std::vector<std::string>& chips) { return fmt::format("{}", fmt::join(chips, ", ")); }

/// Why `part` is of another run than `first`; empty where it is of the same.
std::string why_foreign(const Part& part, const Part& first) {
    const RunDescription &is = part.report.description, &expected = first.report.description;
    std::string why;
    const auto compare = [&](std::string_view field, const auto& a, const auto& b) {
        if (why.empty() && a != b)
            why = fmt::format("{}: foreign: its {} is {}, that of {} is {}", part.name, field, a, first.name, b);
    };
    compare("commit", is.commit.empty() ? "none" : is.commit, expected.commit.empty() ? "none" : expected.commit);
    compare("dirty flag", is.dirty, expected.dirty);
    compare("registry with sources and records", is.inputs, expected.inputs);
    compare("list of registered chips", chips_text(is.registered), chips_text(expected.registered));
    compare("toolchain", is.toolchain, expected.toolchain);
    compare("compiler", is.compiler, expected.compiler);
    compare("device", is.device, expected.device);
    compare("HIP library", is.library, expected.library);
    compare("list of oracle libraries", libraries_text(is.oracles), libraries_text(expected.oracles));
    compare("filter", is.filter, expected.filter);
    compare("list of gates", gates_text(part.report.outcome.gates), gates_text(first.report.outcome.gates));
    compare("seed", is.seed, expected.seed);
    compare("launch budget (--thorough)", is.thorough, expected.thorough);
    compare("--allow-unchecked", is.allow_unchecked, expected.allow_unchecked);
    return why;
}

/// Sorts the shards of a group. Error: one that is missing, doubled, or of another number of shards or tasks.
pm::Result<void> complete(Group& group) {
    const std::string on = chips_text(group.front().report.outcome.chips);
    const Part& first = group.front();
    std::map<std::uint32_t, const Part*> seen;
    for (const Part& part : group) {
        const RunDescription &is = part.report.description, &expected = first.report.description;
        if (is.shard.of != expected.shard.of || is.tasks != expected.tasks)
            return pm::Error{fmt::format("{}: foreign: shard {} of {} tasks on {}, but {} is shard {} of {} tasks",
                                         part.name, shard_text(is.shard), is.tasks, on, first.name,
                                         shard_text(expected.shard), expected.tasks)};
        const auto [at, added] = seen.emplace(is.shard.index, &part);
        if (!added)
            return pm::Error{fmt::format("{}: doubled: {} is shard {} on {}, too", part.name, at->second->name,
                                         shard_text(is.shard), on)};
        const std::size_t holds = part.report.outcome.kernels.size() + part.report.outcome.controls.size();
        const std::size_t wanted = (is.tasks + is.shard.of - is.shard.index) / is.shard.of;
        if (holds != wanted)
            return pm::Error{fmt::format("{}: shard {} of {} tasks holds {} registrations and controls; expected {}",
                                         part.name, shard_text(is.shard), is.tasks, holds, wanted)};
    }
    const std::uint32_t of = first.report.description.shard.of;
    std::string missing;
    for (std::uint32_t index = 1; index <= of; ++index)
        if (!seen.contains(index)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", shard_text({index, of}));
    if (!missing.empty()) return pm::Error{fmt::format("missing: shard {} on {}", missing, on)};
    std::sort(group.begin(), group.end(), [](const Part& a, const Part& b) {
        return a.report.description.shard.index < b.report.description.shard.index;
    });
    return {};
}

/// Deals the outcomes of a group's chip back into the order of the whole run: task t is the next one of shard t % N.
class Dealer {
public:
    explicit Dealer(const Group& group) : group_(group), next_kernel_(group.size()), next_control_(group.size()) {}

    /// Takes the next tasks as long as they are of `chip`.
    void take(const std::string& chip, RunOutcome& into) {
        while (take_one(chip, into)) task_++;
    }

private:
    /// A shard's tasks on a chip are its registrations, then its controls.
    bool take_one(const std::string& chip, RunOutcome& into) {
        const std::size_t shard = task_ % group_.size();
        const RunOutcome& from = group_[shard].report.outcome;
        std::size_t &kernel = next_kernel_[shard], &control = next_control_[shard];
        if (kernel < from.kernels.size() && from.kernels[kernel].chip == chip) {
            into.kernels.push_back(from.kernels[kernel++]);
            return true;
        }
        if (control < from.controls.size() && from.controls[control].chip == chip) {
            into.controls.push_back(from.controls[control++]);
            return true;
        }
        return false;
    }

    const Group& group_;
    std::vector<std::size_t> next_kernel_, next_control_;
    std::size_t task_ = 0;
};

/// The reports by their lists of chips. Error: a file that cannot be read, or is of another run than the first.
pm::Result<std::map<std::vector<std::string>, Group>> groups_of(const std::vector<NamedReport>& reports) {
    std::map<std::vector<std::string>, Group> groups;
    std::optional<Part> first;
    for (const NamedReport& named : reports) {
        auto read = read_report(named.text);
        if (!read) return read.error().with(named.name);
        if (const auto faults = form_faults(*read); !faults.empty())
            return pm::Error{fmt::format("{}: it cannot be so: {}", named.name, faults.front())};
        Part part{named.name, std::move(*read)};
        if (!first) first = part;
        if (const std::string why = why_foreign(part, *first); !why.empty()) return pm::Error{why};
        const std::vector<std::string> chips = part.report.outcome.chips;
        groups[chips].push_back(std::move(part));
    }
    return groups;
}

} // namespace

pm::Result<ReadReport> merge_reports(const std::vector<NamedReport>& reports, const std::vector<std::string>& chips) {
    if (reports.empty()) return pm::Error{"no report to merge"};
    auto groups = groups_of(reports);
    if (!groups) return groups.error();

    std::map<std::string, Group*> group_of;
    ReadReport whole;
    whole.description = groups->begin()->second.front().report.description;
    whole.outcome.gates = groups->begin()->second.front().report.outcome.gates;
    whole.description.shard = {};
    whole.description.tasks = 0;
    for (auto& [on, group] : *groups) {
        for (const std::string& chip : on) {
            const auto [at, added] = group_of.emplace(chip, &group);
            if (!added)
                return pm::Error{
                    fmt::format("{}: doubled: {} is on {}, too", group.front().name, at->second->front().name, chip)};
        }
        if (auto done = complete(group); !done) return done.error();
        whole.description.tasks += group.front().report.description.tasks;
    }
    const std::vector<std::string>& registered = whole.description.registered;
    const bool all = std::find(chips.begin(), chips.end(), "all") != chips.end();
    for (const std::string& chip : all ? registered : chips)
        if (!group_of.contains(chip)) return pm::Error{fmt::format("missing: no report is on {}", chip)};

    std::map<const Group*, Dealer> dealers;
    for (const auto& [chip, group] : group_of) dealers.emplace(group, Dealer(*group));
    for (const std::string& chip : registered) {
        const auto at = group_of.find(chip);
        if (at == group_of.end()) continue;
        whole.outcome.chips.push_back(chip);
        dealers.at(at->second).take(chip, whole.outcome);
    }
    const std::size_t dealt = whole.outcome.kernels.size() + whole.outcome.controls.size();
    if (dealt != whole.description.tasks)
        return pm::Error{fmt::format("the shards' registrations and controls are not in the order of a run: {} of {} "
                                     "have a place",
                                     dealt, whole.description.tasks)};
    for (ControlOutcome& outcome : whole.outcome.controls) doubt_control(whole.outcome, outcome); // of another shard's
    if (const auto faults = form_faults(whole); !faults.empty())
        return pm::Error{fmt::format("the shards do not agree: {}", faults.front())};
    return whole;
}

} // namespace hkc
