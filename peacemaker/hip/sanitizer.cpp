#include "peacemaker/hip/sanitizer.h"

#include "peacemaker/hip/runtime.h"
#include "peacemaker/hip/unsupported.h"
#include "peacemaker/run/exec.h"
#include "peacemaker/run/finding_text.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace pm::hip {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// One letter, whole whatever other processes append.
void append_status(const std::string& file, ExecEvent event) {
    if (file.empty()) return;
    const int to = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (to < 0) return;
    const char letter = static_cast<char>(event);
    (void)!::write(to, &letter, 1);
    ::close(to);
}

/// Says that the library is in the process, whether or not the process then uses it.
__attribute__((constructor)) void loaded() { append_status(variable(kExecStatusVariable), ExecEvent::kLoaded); }

__attribute__((destructor)) void ending() {
    Runtime* const runtime = Runtime::made();
    if (runtime == nullptr) return;
    // A thread that is still at work keeps its counts; what it found was told when it was found.
    const std::unique_lock lock(runtime->mutex, std::try_to_lock);
    if (lock.owns_lock()) runtime->sanitizer.finish();
}

} // namespace

Sanitizer::Sanitizer()
    : print_(variable(kSanitizeVariable) == "1"), json_(variable("HKC_SANITIZE_JSON")),
      status_(variable(kExecStatusVariable)) {}

void Sanitizer::add(const emu::Report& report) {
    if (!print_ && json_.empty() && status_.empty()) return;
    const std::size_t findings = all_.findings.size();
    const std::size_t unsupported = all_.unsupported.size();
    const std::size_t refused = all_.refused.size();
    all_.merge(report);
    if (!report.findings.empty()) append_status(status_, ExecEvent::kFinding);
    if (!report.unsupported.empty() || !report.refused.empty()) append_status(status_, ExecEvent::kUnchecked);
    if (!print_) return;
    std::string text;
    for (std::size_t i = findings; i < all_.findings.size(); ++i) text += finding_text(all_.findings[i]);
    for (std::size_t i = unsupported; i < all_.unsupported.size(); ++i)
        text += fmt::format("unchecked: {}\n", all_.unsupported[i]);
    for (std::size_t i = refused; i < all_.refused.size(); ++i) text += fmt::format("unchecked: {}\n", all_.refused[i]);
    fmt::print(stderr, "{}", text);
}

int unsupported_call(const char* name) {
    return api([&](Runtime& runtime) {
        emu::Report report;
        report.unsupported.push_back(fmt::format("{} is not a function of this device", name));
        runtime.note(report);
        return hipErrorNotSupported;
    });
}

void Sanitizer::finish() {
    if (print_) {
        std::string text;
        for (const auto& [name, note] : all_.notes) text += fmt::format("approximate: {}: {}\n", name, note);
        text += fmt::format("embedded device: {} launches, {} findings; {} wave instructions executed: {} exact, {} "
                            "approximate; {} lane operations\n",
                            all_.launches, all_.findings.size(), all_.instructions, all_.exact, all_.approximate,
                            all_.lane_operations);
        // What the program printed comes first, as it did.
        (void)std::fflush(stdout);
        fmt::print(stderr, "{}", text);
    }
    if (json_.empty()) return;
    if (const auto written = write_file_atomically(json_, emu::to_json(all_) + "\n"); !written)
        fmt::print(stderr, "embedded device: {}\n", written.error().text);
}

} // namespace pm::hip
