#include "contract/runner/choose.h"

#include "contract/gates/gate.h"
#include "contract/runner/child.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace hkc {
namespace {

constexpr std::chrono::seconds kProbeLimit{60};

bool has(const auto& list, const auto& value) { return std::find(list.begin(), list.end(), value) != list.end(); }

std::string probe(DeviceKind kind) {
    nlohmann::json said;
    const auto library = open_hip_library(library_candidates(kind));
    if (!library) {
        said["error"] = library.error().text;
        return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    said["library"] = (*library)->path;
    const auto devices = list_devices(**library);
    if (!devices) said["error"] = devices.error().text;
    said["devices"] = nlohmann::json::array();
    if (devices)
        for (const DeviceInfo& device : *devices)
            said["devices"].push_back({{"chip", device.chip}, {"ordinal", device.ordinal}});
    return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The devices of that kind. Error: why there is none.
pm::Result<DeviceChoice> ask(DeviceKind kind) {
    ChildEnd answer;
    run_children(
        1, 1, kProbeLimit, [&](std::size_t, const ChildPipe& pipe) { pipe.write(probe(kind)); },
        [&](std::size_t, const ChildEnd& end) { answer = end; });
    const std::string what = kind == DeviceKind::kRocm ? "no HIP device" : "no embedded device";
    if (answer.fate != ChildFate::kDone)
        return pm::Error{fmt::format("{}: asking the HIP library ended with {}", what, answer.how)};
    try {
        const auto said = nlohmann::json::parse(answer.output);
        if (said.contains("error")) return pm::Error{fmt::format("{}: {}", what, said.at("error").get<std::string>())};
        DeviceChoice choice;
        choice.kind = kind;
        choice.library = said.at("library").get<std::string>();
        for (const auto& device : said.at("devices"))
            choice.chips.emplace(device.at("chip").get<std::string>(), device.at("ordinal").get<int>());
        if (choice.chips.empty()) return pm::Error{fmt::format("{}: {} shows none", what, choice.library)};
        return choice;
    } catch (const nlohmann::json::exception& e) {
        return pm::Error{fmt::format("{}: asking the HIP library gave no answer: {}", what, e.what())};
    }
}

/// Nothing where `digits` is no number of 32 bits.
std::optional<std::uint32_t> number_of(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

} // namespace

const std::map<std::string, DeviceWish>& device_wishes() {
    static const std::map<std::string, DeviceWish> wishes{
        {"auto", DeviceWish::kAuto}, {"rocm", DeviceWish::kRocm}, {"embedded", DeviceWish::kEmbedded}};
    return wishes;
}

pm::Result<DeviceChoice> choose_device(DeviceWish wish) {
    if (wish == DeviceWish::kRocm) return ask(DeviceKind::kRocm);
    if (wish == DeviceWish::kEmbedded) return ask(DeviceKind::kEmbedded);
    auto card = ask(DeviceKind::kRocm);
    if (card) return card;
    auto embedded = ask(DeviceKind::kEmbedded);
    if (embedded) return embedded;
    return pm::Error{card.error().text + "\n" + embedded.error().text};
}

pm::Result<std::vector<std::uint32_t>> parse_gates(std::string_view text) {
    const pm::Error error{fmt::format("gates: read \"{}\"; expected numbers from 1 to {}, as in 1-4 or 1,3", text,
                                      gates().back().number)};
    std::set<std::uint32_t> numbers;
    const auto number = [](const std::string& digits) {
        const auto value = number_of(digits);
        return value && find_gate(*value) != nullptr ? value : std::nullopt;
    };
    for (const std::string& part : pm::split(text, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = number(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : number(part.substr(dash + 1));
        if (!first || !last || *first > *last) return error;
        for (std::uint32_t n = *first; n <= *last; ++n) numbers.insert(n);
    }
    if (numbers.empty()) return error;
    return std::vector<std::uint32_t>(numbers.begin(), numbers.end());
}

std::string shard_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.of); }

pm::Result<Shard> parse_shard(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto index = number_of(text.substr(0, slash)), of = number_of(text.substr(slash + 1));
        if (index && of && *index >= 1 && *index <= *of) return Shard{*index, *of};
    }
    return pm::Error{fmt::format("shard: read \"{}\"; expected I/N with I from 1 to N, as in 1/4", text)};
}

std::vector<Task> tasks_of_shard(const std::vector<Task>& tasks, const Shard& shard) {
    std::vector<Task> own;
    for (std::size_t i = shard.index - 1; i < tasks.size(); i += shard.of) own.push_back(tasks[i]);
    return own;
}

std::vector<Task> select_tasks(const Registry& registry, const std::vector<std::string>& chips, std::string_view filter,
                               const std::vector<std::uint32_t>& gates) {
    std::vector<Task> tasks;
    for (const std::string& chip : chips) {
        for (const Kernel& kernel : registry.kernels)
            if (has(kernel.chips, chip) && pm::glob_match(filter, kernel.name))
                tasks.push_back({&kernel, nullptr, chip});
        for (const Control& control : registry.controls)
            if (has(control.chips, chip) && has(gates, control.red_at) &&
                (pm::glob_match(filter, control.name) || pm::glob_match(filter, control.of)))
                tasks.push_back({registry.find_kernel(control.of), &control, chip});
    }
    return tasks;
}

std::vector<std::string> shape_warnings(const std::vector<Task>& tasks) {
    struct Mark {
        std::string_view name, meaning;
        bool Shape::*is;
    };
    static constexpr std::array kMarks{Mark{"served", "a size that is used", &Shape::served},
                                       Mark{"ragged", "a size that leaves workgroups partly filled", &Shape::ragged}};
    std::vector<std::string> warnings;
    for (const Mark& mark : kMarks) {
        std::vector<std::string> without; // each once: a task is of one chip
        for (const Task& task : tasks) {
            const auto marked = [&mark](const Shape& shape) { return shape.*mark.is; };
            if (task.control == nullptr && !has(without, task.kernel->name) &&
                std::none_of(task.kernel->shapes.begin(), task.kernel->shapes.end(), marked))
                without.push_back(task.kernel->name);
        }
        if (!without.empty())
            warnings.push_back(fmt::format(
                "{}{}: no shape is marked {} = true, so gate 2 asks none of {}", without.front(),
                without.size() == 1 ? "" : fmt::format(" and {} more", without.size() - 1), mark.name, mark.meaning));
    }
    return warnings;
}

std::vector<std::string> registered_chips(const Registry& registry) {
    std::vector<std::string> names;
    for (const pm::Chip& chip : pm::chips())
        if (std::any_of(registry.kernels.begin(), registry.kernels.end(), [&](const Kernel& kernel) {
                return std::find(kernel.chips.begin(), kernel.chips.end(), chip.name) != kernel.chips.end();
            }))
            names.push_back(chip.name);
    return names;
}

pm::Result<std::vector<std::string>> named_chips(const Registry& registry, const std::vector<std::string>& named) {
    const std::vector<std::string> registered = registered_chips(registry);
    if (named.empty() || has(named, "all")) return registered;
    for (const std::string& chip : named)
        if (!has(registered, chip))
            return pm::Error{fmt::format("chip \"{}\": no registration names it{}; expected {}, or all", chip,
                                         pm::did_you_mean(chip, registered), fmt::join(registered, ", "))};
    std::vector<std::string> chips;
    for (const std::string& chip : registered)
        if (has(named, chip)) chips.push_back(chip);
    return chips;
}

} // namespace hkc
