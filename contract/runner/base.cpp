#include "contract/runner/base.h"

#include "contract/gates/gate.h"
#include "contract/project/project.h"
#include "contract/toolchain/compile.h"
#include "contract/toolchain/subprocess.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hkc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLimitsGate = 5;

/// git in `folder`. The environment is a clean one: GIT_DIR of a hook that runs us means another repository's business.
pm::Result<Finished> git(const fs::path& folder, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{"/usr/bin/env", "git", "-c", "core.hooksPath=/dev/null", "-C", folder.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run({argv, {}, compiler_environment()});
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

std::string what_git_said(const Finished& done) {
    const std::string said = trimmed(done.err);
    return said.empty() ? fmt::format("git ended with {}", done.how()) : said;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path from = path.lexically_relative(folder);
    return !from.empty() && *from.begin() != "..";
}

pm::Result<fs::path> make_folder_outside(const fs::path& top) {
    std::error_code ec;
    const fs::path parent = fs::canonical(fs::temp_directory_path(ec), ec);
    if (ec) return pm::Error{fmt::format("no temporary folder: {}; TMPDIR names one", ec.message())};
    if (lies_in(parent, top))
        return pm::Error{fmt::format("the temporary folder {} lies in the checkout {}; TMPDIR must name one outside",
                                     parent.string(), top.string())};
    std::string name = (parent / "hkc-base-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return pm::Error{fmt::format("cannot make {}: {}; TMPDIR names another place", name, std::strerror(errno))};
    return fs::path(name);
}

/// Removes the worktree and what git knows of it. Forced twice: git may have left it locked.
bool remove_worktree(const fs::path& top, const fs::path& folder) {
    const auto remove = [&] {
        const auto done = git(top, {"worktree", "remove", "--force", "--force", folder.string()});
        return done && done->succeeded();
    };
    const bool known = remove();
    std::error_code ec;
    fs::remove_all(folder, ec);
    if (ec) {
        fmt::print(stderr, "hip-kernel-contract: cannot remove {}: {}\n", folder.string(), ec.message());
        return false;
    }
    return known || remove();
}

pm::Result<fs::path> add_worktree(const Revision& revision) {
    auto folder = make_folder_outside(revision.top);
    if (!folder) return folder;
    const auto done = git(revision.top, {"worktree", "add", "--detach", "--force", folder->string(), revision.commit});
    if (done && done->succeeded()) return folder;
    (void)remove_worktree(revision.top, *folder);
    return pm::Error{fmt::format("git worktree add of {} in {}: {}", revision.commit, folder->string(),
                                 done ? what_git_said(*done) : done.error().text)};
}

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(descriptor, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::string read_to_end(int descriptor) {
    std::string text;
    std::array<char, 4096> chunk{};
    while (true) {
        const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

constexpr char kMade = '+', kNotMade = '-'; // head the keeper's answer: a path, or an error's text

/// The keeper's whole life: it makes the folder, so that a signal to its parent cannot come between, and removes it
/// when nobody holds the other end of `life` any longer.
[[noreturn]] void be_keeper(const Revision& revision, int answer, int life) {
    (void)::setsid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) (void)std::signal(number, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, nullptr);

    const auto folder = add_worktree(revision);
    write_all(answer, folder ? kMade + folder->string() : kNotMade + folder.error().text);
    ::close(answer);
    if (!folder) ::_exit(0);
    (void)read_to_end(life);
    ::_exit(remove_worktree(revision.top, *folder) ? 0 : 1);
}

/// Sets HKC_CACHE_DIR while it lives.
class SharedCache {
public:
    explicit SharedCache(const fs::path& folder) {
        if (const char* now = std::getenv(kName)) before_ = now;
        (void)::setenv(kName, folder.c_str(), 1);
    }
    ~SharedCache() {
        if (before_)
            (void)::setenv(kName, before_->c_str(), 1);
        else
            (void)::unsetenv(kName);
    }
    SharedCache(const SharedCache&) = delete;
    SharedCache& operator=(const SharedCache&) = delete;

private:
    static constexpr const char* kName = "HKC_CACHE_DIR";
    std::optional<std::string> before_;
};

/// `text` as it would be wherever the root lies, on one line.
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

pm::Result<Revision> find_revision(const fs::path& root, const std::string& name) {
    const auto told = git(root, {"rev-parse", "--is-shallow-repository", "--show-toplevel", "--show-prefix"});
    if (!told) return pm::Error{fmt::format("--base {}: {}", name, told.error().text)};
    if (!told->succeeded())
        return pm::Error{fmt::format("--base {}: {} is in no git checkout that can be used: {}", name,
                                     fs::absolute(root).lexically_normal().string(), what_git_said(*told))};
    const std::vector<std::string> lines = pm::split(told->out, '\n');
    const bool shallow = !lines.empty() && lines[0] == "true";
    Revision revision;
    revision.name = name;
    if (lines.size() > 1) revision.top = lines[1];
    if (lines.size() > 2) revision.root = lines[2];

    const bool sane = !name.empty() && name.front() != '-';
    const auto found = sane ? git(root, {"rev-parse", "--verify", "--quiet", name + "^{commit}"})
                            : pm::Result<Finished>(pm::Error{""});
    if (found && found->succeeded()) {
        revision.commit = trimmed(found->out);
        // A hash in full is taken at its word; whether the commit is there is another question.
        const auto there = git(root, {"cat-file", "-e", revision.commit + "^{commit}"});
        if (there && there->succeeded()) return revision;
    }
    return pm::Error{fmt::format(
        "--base \"{}\": no such commit in {}; expected a branch, a tag or a commit{}", name, revision.top.string(),
        shallow ? ". This is a shallow clone, which may lack it; git fetch --unshallow gets the rest" : "")};
}

pm::Result<Worktree> Worktree::create(const Revision& revision) {
    std::array<int, 2> life{}, answer{};
    if (::pipe2(life.data(), O_CLOEXEC) != 0) return pm::Error{fmt::format("pipe: {}", std::strerror(errno))};
    if (::pipe2(answer.data(), O_CLOEXEC) != 0) {
        const std::string why = std::strerror(errno);
        ::close(life[0]);
        ::close(life[1]);
        return pm::Error{fmt::format("pipe: {}", why)};
    }
    (void)std::fflush(nullptr);
    // No signal may reach the keeper before it ignores it.
    sigset_t all, before;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t keeper = ::fork();
    if (keeper == 0) {
        ::close(life[1]);
        ::close(answer[0]);
        be_keeper(revision, answer[1], life[0]);
    }
    const int error = errno;
    (void)sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(life[0]);
    ::close(answer[1]);
    const std::string said = keeper > 0 ? read_to_end(answer[0]) : "";
    ::close(answer[0]);
    if (keeper > 0 && !said.empty() && said.front() == kMade) return Worktree(said.substr(1), life[1], keeper);
    ::close(life[1]);
    if (keeper < 0) return pm::Error{fmt::format("fork: {}", std::strerror(error))};
    while (::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    return pm::Error{said.empty() ? "the process that makes the worktree ended without an answer" : said.substr(1)};
}

Worktree::Worktree(Worktree&& other) noexcept
    : path_(std::move(other.path_)), life_(std::exchange(other.life_, -1)), keeper_(std::exchange(other.keeper_, -1)) {}

Worktree::~Worktree() {
    if (keeper_ < 0) return;
    ::close(life_);
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
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
    const SharedCache cache(fs::absolute(default_cache_dir(request.root)).lexically_normal());
    BaseComparison comparison;
    const auto not_compared = [&](const std::string& why) { comparison.not_compared = why; };
    const auto compare = [&] {
        const auto worktree = Worktree::create(revision);
        if (!worktree) return not_compared(worktree.error().text);
        const fs::path root = worktree->path() / revision.root;
        const auto registry = load_contracts(root);
        if (!registry) return not_compared(without_root(registry.error().text, root));
        std::vector<Problem> base;
        if (const auto there = request_of_base(request, *registry, root)) {
            const auto outcome =
                run_contracts(*registry, *there, [&](const std::string& what, std::size_t done, std::size_t of) {
                    progress(fmt::format("{}: {}", revision.name, what), done, of);
                });
            if (const auto* failure = std::get_if<RunFailure>(&outcome))
                return not_compared(without_root(failure->text, root));
            base = problems_of(std::get<RunReport>(outcome).outcome, *registry, root);
        }
        comparison = compare_problems(problems_of(report.outcome, head, request.root), base);
    };
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
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

int exit_status_with_base(int head, const BaseComparison& comparison, bool allow_unchecked) {
    return head == 0 && !comparison.not_compared.empty() && !allow_unchecked ? 1 : head;
}

} // namespace hkc
