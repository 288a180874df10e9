#include "contract/runner/base.h"

#include "contract/gates/gate.h"
#include "contract/project/project.h"
#include "contract/toolchain/compile.h"
#include "peacemaker/support/interrupt.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace hkc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheVariable = "HKC_CACHE_DIR";

/// A declaration is the same one wherever in its file it stands.
std::string without_lines(const std::string& text) {
    static const std::regex kPlace(R"((\.toml):\d+)");
    return std::regex_replace(text, kPlace, "$1");
}

class ProblemList {
public:
    explicit ProblemList(const fs::path& root) : root_(root) {}

    /// The same identity twice is one problem.
    void add(const std::string& identity, std::string line) {
        std::string key = without_lines(without_root(identity, root_));
        if (seen_.insert(key).second) problems_.push_back({std::move(key), without_root(std::move(line), root_)});
    }
    std::vector<Problem> take() { return std::move(problems_); }

private:
    fs::path root_;
    std::set<std::string> seen_;
    std::vector<Problem> problems_;
};

void add_gate(ProblemList& list, const KernelOutcome& outcome, const Kernel* kernel, const GateResult& result) {
    const Gate* gate = find_gate(result.gate);
    const std::string where =
        fmt::format("{} {} gate {} {}", outcome.chip, outcome.name, result.gate, gate != nullptr ? gate->name : "");
    if (result.status == Status::kFail) {
        for (const Finding& finding : result.findings) {
            if (kernel != nullptr && is_known(*kernel, outcome.chip, result.gate, finding)) continue;
            const std::string full = fmt::format("fail {}: {}: {}", where, finding.kind, finding.text);
            const bool text_counts = result.gate == kLimitsGate || finding.kind == kind::kStaleKnownFinding;
            list.add(text_counts ? full : fmt::format("fail {}: {}", where, finding.kind), full);
        }
    }
    const bool unchecked = result.status == Status::kUnchecked || !result.unchecked.empty();
    if (!unchecked) return;
    const std::string line = fmt::format("unchecked {}", where);
    if (result.unchecked.empty()) list.add(line, line);
    for (const std::string& reason : result.unchecked) {
        const std::string full = fmt::format("{}: {}", line, reason);
        list.add(result.gate == kLimitsGate ? full : line, full);
    }
}

nlohmann::ordered_json json_of(const BaseComparison& comparison) {
    nlohmann::ordered_json json = {{"revision", comparison.revision}, {"commit", comparison.commit}};
    if (!comparison.not_compared.empty()) {
        json["not_compared"] = comparison.not_compared;
        return json;
    }
    json["new"] = comparison.added;
    json["gone"] = comparison.gone;
    json["unchanged"] = comparison.unchanged;
    return json;
}

/// The request as it applies to the base, or nothing where it selects nothing there.
std::optional<RunRequest> request_of_base(RunRequest request, const Registry& base, const fs::path& root) {
    request.root = root;
    std::vector<std::string> chips = registered_chips(base);
    const bool all =
        request.chips.empty() || std::find(request.chips.begin(), request.chips.end(), "all") != request.chips.end();
    if (!all) {
        std::erase_if(request.chips, [&](const std::string& chip) {
            return std::find(chips.begin(), chips.end(), chip) == chips.end();
        });
        chips = request.chips;
    }
    if (chips.empty() || select_tasks(base, chips, request.filter, request.gates).empty()) return std::nullopt;
    return request;
}

} // namespace

std::string without_root(std::string text, const fs::path& root) {
    const auto cut = [&](const fs::path& folder) {
        const std::string prefix = (folder / "").string();
        if (prefix.size() <= std::strlen("./")) return;
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
            text.erase(at, prefix.size());
    };
    cut(root);
    cut(fs::absolute(root).lexically_normal());
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string first_line_of(const std::string& failure) {
    const std::string error = first_compiler_error(failure);
    const std::string line = error.empty() ? failure.substr(0, failure.find('\n')) : error;
    return line == failure ? line : line + "; hip-kernel-contract prints the rest";
}

SharedCache::SharedCache(const fs::path& root) {
    if (const char* now = std::getenv(kCacheVariable)) before_ = now;
    const fs::path folder = fs::absolute(default_cache_dir(root)).lexically_normal();
    (void)::setenv(kCacheVariable, folder.c_str(), 1);
}

SharedCache::~SharedCache() {
    if (before_)
        (void)::setenv(kCacheVariable, before_->c_str(), 1);
    else
        (void)::unsetenv(kCacheVariable);
}

pm::Result<BaseContracts> open_base(const Revision& revision, const RunRequest& head) {
    auto worktree = Worktree::create(revision);
    if (!worktree) return worktree.error();
    const fs::path root = worktree->path() / revision.root;
    auto registry = load_contracts(root);
    if (!registry) {
        std::error_code ignored;
        const bool submodules = fs::exists(worktree->path() / ".gitmodules", ignored);
        return pm::Error{without_root(registry.error().text, root) +
                         (submodules ? "; submodules of the base are not checked out" : "")};
    }
    auto request = request_of_base(head, *registry, root);
    return BaseContracts{std::move(*worktree), root, std::move(*registry), std::move(request)};
}

std::vector<Problem> problems_of(const RunOutcome& run, const Registry& registry, const fs::path& root) {
    ProblemList list(root);
    for (const KernelOutcome& kernel : run.kernels)
        for (const GateResult& result : kernel.gates) add_gate(list, kernel, registry.find_kernel(kernel.name), result);
    for (const ControlOutcome& control : run.controls) {
        if (control.verdict == ControlVerdict::kRedAsPlanted || control.verdict == ControlVerdict::kNotAsked) continue;
        const std::string head = fmt::format("{} {} control \"{}\" of {}", verdict_name(control.verdict), control.chip,
                                             control.name, control.of);
        list.add(head, fmt::format("{}: {}", head, control.why));
    }
    return list.take();
}

BaseComparison compare_problems(const std::vector<Problem>& head, const std::vector<Problem>& base) {
    const auto holds = [](const std::vector<Problem>& list, const Problem& problem) {
        return std::any_of(list.begin(), list.end(), [&](const Problem& p) { return p.identity == problem.identity; });
    };
    BaseComparison comparison;
    for (const Problem& problem : head)
        (holds(base, problem) ? comparison.unchanged : comparison.added).push_back(problem.line);
    for (const Problem& problem : base)
        if (!holds(head, problem)) comparison.gone.push_back(problem.line);
    return comparison;
}

BaseComparison compare_with_base(const Registry& head, const RunReport& report, const RunRequest& request,
                                 const Revision& revision, const Progress& progress) {
    const SharedCache cache(request.root);
    BaseComparison comparison;
    const auto compare = [&] {
        const auto base = open_base(revision, request);
        if (!base) {
            comparison.not_compared = base.error().text;
            return;
        }
        std::vector<Problem> problems;
        if (base->request) {
            const auto outcome = run_contracts(base->registry, *base->request,
                                               [&](const std::string& what, std::size_t done, std::size_t of) {
                                                   progress(fmt::format("{}: {}", revision.name, what), done, of);
                                               });
            if (pm::interrupted()) {
                comparison.not_compared = pm::kInterrupted;
                return;
            }
            if (const auto* failure = std::get_if<RunFailure>(&outcome)) {
                comparison.not_compared = without_root(first_line_of(failure->text), base->root);
                return;
            }
            problems = problems_of(std::get<RunReport>(outcome).outcome, base->registry, base->root);
        }
        comparison = compare_problems(problems_of(report.outcome, head, request.root), problems);
    };
    if (pm::interrupted())
        comparison.not_compared = pm::kInterrupted;
    else
        compare();
    comparison.revision = revision.name;
    comparison.commit = revision.commit;
    return comparison;
}

std::string base_lines(const BaseComparison& comparison) {
    const std::string since = fmt::format("{} ({})", comparison.revision, comparison.commit.substr(0, 12));
    if (!comparison.not_compared.empty())
        return fmt::format("problems: not compared with {}: {}\n", since, comparison.not_compared);
    std::string text = fmt::format("problems: {} new, {} gone, {} unchanged since {}\n", comparison.added.size(),
                                   comparison.gone.size(), comparison.unchanged.size(), since);
    for (const std::string& line : comparison.added) text += fmt::format("new: {}\n", line);
    for (const std::string& line : comparison.gone) text += fmt::format("gone: {}\n", line);
    return text;
}

std::string report_with_base(const std::string& report, const BaseComparison& comparison, int exit_status) {
    auto json = nlohmann::ordered_json::parse(report, nullptr, false);
    if (!json.is_object()) return report;
    json["base"] = json_of(comparison);
    json["exit_status"] = exit_status;
    return sealed_report(std::move(json));
}

int exit_status_with_base(int head, const BaseComparison& comparison, bool allow_unchecked) {
    return head == 0 && !comparison.not_compared.empty() && !allow_unchecked ? 1 : head;
}

} // namespace hkc
