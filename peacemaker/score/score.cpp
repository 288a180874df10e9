#include "peacemaker/score/score.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

namespace pm::score {
namespace {

using mutate::Mutant;
using mutate::Target;

constexpr std::uint32_t kWaveLanes = 32;

/// An obligation by what makes it the same one in a mutant: its text may name other registers.
using Key = std::tuple<std::string_view, bool, std::uint64_t>;

std::set<Key> keys_of(const certify::KernelCertificate& certificate) {
    std::set<Key> keys;
    for (const certify::Open& open : certificate.open) keys.insert({open.kind, open.fault, open.at});
    return keys;
}

/// What one kernel's mutants are compared with.
struct Original {
    const Kernel* kernel = nullptr;
    std::string unchecked; // why nothing can be said
    std::set<Key> keys;
    std::optional<std::map<std::uint64_t, Outstanding>> before;
};

Original original_of(const CodeObject& object, const Result<lift::File>& lifted, const std::string& name,
                     const certify::Options& launch) {
    Original original;
    original.kernel = object.find_kernel(name);
    const auto certificate = certify::certify(object, name, launch);
    if (!certificate) {
        original.unchecked = certificate.error().text;
        return original;
    }
    const certify::KernelCertificate& kernel = certificate->kernels.front();
    if (!kernel.unchecked.empty()) original.unchecked = kernel.unchecked.front();
    original.keys = keys_of(kernel);
    if (!lifted) return original;
    if (auto before = outstanding_before(object, *lifted, *original.kernel)) original.before = std::move(*before);
    return original;
}

std::optional<std::uint64_t> items_of(const certify::Options& launch) {
    if (!launch.workgroup) return std::nullopt;
    const auto& [x, y, z] = *launch.workgroup;
    return std::uint64_t{x} * y * z;
}

/// `object` has the mutant's bytes.
void judge(const CodeObject& object, const Original& original, const certify::Options& launch, Scored& scored) {
    const Mutant& mutant = scored.mutant;
    if (!original.unchecked.empty()) {
        scored.fate = Fate::kUnchecked;
        scored.reason = "the original is not followed: " + original.unchecked;
        return;
    }
    const auto certificate = certify::certify(object, mutant.kernel, launch);
    if (!certificate) {
        scored.fate = Fate::kUnchecked;
        scored.reason = certificate.error().text;
        return;
    }
    for (const certify::Open& open : certificate->kernels.front().open) {
        if (original.keys.contains({open.kind, open.fault, open.at})) continue;
        scored.fate = Fate::kKilled;
        scored.reason = fmt::format("{} at +{:#x}", open.kind, open.at);
        return;
    }
    scored.reason =
        equivalence(*original.kernel, mutant, original.before ? &*original.before : nullptr, items_of(launch));
    scored.fate = scored.reason.empty() ? Fate::kMissed : Fate::kEquivalent;
}

std::string counts_text(const Counts& counts) {
    const auto at = [&](Fate fate) { return counts[static_cast<std::size_t>(fate)]; };
    const std::size_t judged = at(Fate::kKilled) + at(Fate::kMissed);
    std::string text = fmt::format("{} mutants: {} killed, {} equivalent, {} missed",
                                   judged + at(Fate::kEquivalent) + at(Fate::kUnchecked), at(Fate::kKilled),
                                   at(Fate::kEquivalent), at(Fate::kMissed));
    if (at(Fate::kUnchecked) != 0) text += fmt::format(", {} unchecked", at(Fate::kUnchecked));
    // Rounded down: 100 % is nothing missed.
    if (judged != 0) text += fmt::format(": {} %", 100 * at(Fate::kKilled) / judged);
    return text;
}

} // namespace

std::string_view fate_name(Fate fate) {
    constexpr std::array<std::string_view, 4> kNames = {"killed", "equivalent", "missed", "unchecked"};
    return kNames.at(static_cast<std::size_t>(fate));
}

Counts count(const Report& report, Target target) {
    Counts counts{};
    for (const Scored& one : report.mutants)
        if (one.mutant.target == target) ++counts[static_cast<std::size_t>(one.fate)];
    return counts;
}

Counts count(std::span<const Report> reports) {
    Counts counts{};
    for (const Report& report : reports)
        for (const Scored& one : report.mutants) ++counts[static_cast<std::size_t>(one.fate)];
    return counts;
}

std::string equivalence(const Kernel& kernel, const Mutant& mutant, const std::map<std::uint64_t, Outstanding>* before,
                        std::optional<std::uint64_t> items) {
    if (mutant.target == Target::kClause) return "s_clause orders requests and changes no result";
    if (mutant.target == Target::kBarrier)
        return items.value_or(kernel.resources.max_block) <= kWaveLanes ? "a workgroup is one wave" : "";
    if (mutant.weakened.empty() || before == nullptr) return "";
    const auto state = before->find(mutant.at);
    if (state == before->end()) return "no path leads there";
    std::string proof;
    for (const mutate::WaitCount& count : mutant.weakened) {
        const auto found = state->second.find(count.counter);
        const Held held = found == state->second.end() ? Held{} : found->second;
        if (held.all > count.most && held.with_effect != 0) return "";
        proof += proof.empty() ? "" : "; ";
        proof += held.all <= count.most
                     ? fmt::format("no path leaves more than {} outstanding in {}", held.all, count.counter)
                     : fmt::format("no path leaves more than cache invalidations outstanding in {}", count.counter);
    }
    return proof;
}

Result<Report> score(const CodeObject& object, const std::string& where, const Options& options) {
    auto mutants = mutate::mutants_of(object, options.kernels);
    if (!mutants) return mutants.error();
    const auto& targets = options.targets;
    if (!targets.empty())
        std::erase_if(*mutants, [&](const Mutant& mutant) {
            return std::find(targets.begin(), targets.end(), mutant.target) == targets.end();
        });
    Report report{where, object.chip->name, {}};
    const auto lifted = lift::lift(object.bytes);
    std::map<std::string, Original> originals;
    for (Mutant& mutant : *mutants) {
        if (!originals.contains(mutant.kernel))
            originals[mutant.kernel] = original_of(object, lifted, mutant.kernel, options.launch);
        report.mutants.push_back({std::move(mutant), Fate::kMissed, {}});
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        CodeObject mine = object;
        for (std::size_t i = next++; i < report.mutants.size(); i = next++) {
            Scored& scored = report.mutants[i];
            const mutate::Patch& patch = scored.mutant.patch;
            mine.bytes.replace(patch.offset, patch.after.size(), patch.after);
            judge(mine, originals.at(scored.mutant.kernel), options.launch, scored);
            mine.bytes.replace(patch.offset, patch.before.size(), patch.before);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    return report;
}

std::string report_text(std::span<const Report> reports) {
    std::string out;
    for (const Report& report : reports)
        for (const Scored& one : report.mutants)
            if (one.fate != Fate::kKilled)
                out +=
                    fmt::format("{} {} {} {}: {} becomes {}{}{}\n", fate_name(one.fate), report.chip,
                                target_name(one.mutant.target),
                                fmt::format("{}+{:#x}{}", one.mutant.kernel, one.mutant.at,
                                            one.mutant.source.empty() ? "" : " (" + one.mutant.source + ")"),
                                one.mutant.instruction, one.mutant.becomes, one.reason.empty() ? "" : ": ", one.reason);
    for (const Report& report : reports)
        for (const Target target : mutate::kTargets) {
            const Counts counts = count(report, target);
            if (counts == Counts{}) continue;
            out += fmt::format("SCORE {} {} {}: {}\n", report.where, report.chip, target_name(target),
                               counts_text(counts));
        }
    out += fmt::format("SCORE {} objects: {}\n", reports.size(), counts_text(count(reports)));
    return out;
}

std::string report_json(std::span<const Report> reports) {
    using nlohmann::ordered_json;
    ordered_json objects = ordered_json::array();
    for (const Report& report : reports) {
        ordered_json mutants = ordered_json::array();
        for (const Scored& one : report.mutants)
            mutants.push_back({{"kernel", one.mutant.kernel},
                               {"target", target_name(one.mutant.target)},
                               {"offset", one.mutant.at},
                               {"instruction", one.mutant.instruction},
                               {"becomes", one.mutant.becomes},
                               {"source", one.mutant.source},
                               {"fate", fate_name(one.fate)},
                               {"reason", one.reason}});
        objects.push_back({{"where", report.where}, {"chip", report.chip}, {"mutants", std::move(mutants)}});
    }
    const Counts counts = count(reports);
    const ordered_json whole = {
        {"schema", 1},         {"tool", "peacemaker score"}, {"killed", counts[0]},          {"equivalent", counts[1]},
        {"missed", counts[2]}, {"unchecked", counts[3]},     {"objects", std::move(objects)}};
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pm::score
