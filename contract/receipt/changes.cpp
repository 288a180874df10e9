#include "contract/receipt/changes.h"

#include "contract/receipt/reason.h"
#include "contract/runner/declaration.h"
#include "contract/runner/input_files.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <variant>

namespace hkc::receipt {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const Json& declaration) { return declaration.at("name").get<std::string>(); }

const Json* find_named(const std::vector<Json>& declarations, const std::string& name) {
    const auto found = std::find_if(declarations.begin(), declarations.end(),
                                    [&](const Json& declaration) { return declaration.at("name") == name; });
    return found == declarations.end() ? nullptr : &*found;
}

bool holds(const Json& list, const Json& value) { return std::find(list.begin(), list.end(), value) != list.end(); }

std::string values_text(const Json& values) {
    std::string text;
    for (const auto& [name, value] : values.items())
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value.dump());
    return text;
}

/// Changes of one declaration, each without its subject.
class Differences {
public:
    using Take = std::function<void(Grade, std::string)>;

    Differences(const Json& base, const Json& head, Take take) : base_(base), head_(head), take_(std::move(take)) {}

    void of_kernel() const {
        removed("chips", "chip");
        shapes();
        known_findings();
        if (is("match", "bytes", "bound")) weaker("match bytes -> bound");
        if (is("bitwise", true, false)) weaker("bitwise true -> false");
        if (is("certify", true, false)) weaker("certify true -> false");
        if (is("nan", "bytes", "")) weaker("nan = \"bytes\" removed");
        replaced();
        arguments();
        for (const char* field : {"family", "source", "flags", "oracle", "params", "launch"}) changed(field);
    }

    void of_control() const {
        removed("chips", "chip");
        for (const Json& kind : head_.at("finding"))
            if (!holds(base_.at("finding"), kind)) weaker(fmt::format("may be red with {}, too", kind.dump()));
        if (is("device", "", "embedded")) weaker("device = \"embedded\" added");
        for (const char* field : {"of", "family", "plant", "red_at"}) changed(field);
    }

private:
    void weaker(std::string what) const { take_(Grade::kWeaker, std::move(what)); }
    void changed(const char* field) const {
        if (base_.at(field) != head_.at(field))
            take_(Grade::kChanged, fmt::format("{} {} -> {}", field, base_.at(field).dump(), head_.at(field).dump()));
    }
    [[nodiscard]] bool is(const char* field, const Json& before, const Json& after) const {
        return base_.at(field) == before && head_.at(field) == after;
    }
    void removed(const char* field, const char* noun) const {
        for (const Json& value : base_.at(field))
            if (!holds(head_.at(field), value)) weaker(fmt::format("{} {} removed", noun, value.get<std::string>()));
    }

    void shapes() const {
        for (const Json& shape : base_.at("shape")) {
            const std::string text = values_text(shape.at("values"));
            std::vector<const Json*> same;
            for (const Json& candidate : head_.at("shape"))
                if (candidate.at("values") == shape.at("values")) same.push_back(&candidate);
            if (same.empty()) weaker(fmt::format("shape {} removed", text));
            for (const char* mark : {"served", "ragged"}) {
                const auto marked = [&](const Json* candidate) { return candidate->at(mark).get<bool>(); };
                if (!same.empty() && marked(&shape) && std::none_of(same.begin(), same.end(), marked))
                    weaker(fmt::format("shape {} no longer {}", text, mark));
            }
        }
    }

    void known_findings() const {
        for (const Json& known : head_.at("known")) {
            const auto same = [&](const Json& other) {
                return std::all_of(kKnown.begin(), kKnown.end(),
                                   [&](const char* field) { return other.at(field) == known.at(field); });
            };
            const Json& before = base_.at("known");
            const auto found = std::find_if(before.begin(), before.end(), same);
            const std::string what =
                fmt::format("known finding \"{}\" of gate {} on {}", known.at("finding").get<std::string>(),
                            known.at("gate").dump(), known.at("chip").get<std::string>());
            const auto reason = known.at("reason").get<std::string>();
            if (found == before.end())
                weaker(fmt::format("{} added: {}", what, reason));
            else if (found->at("reason") != reason)
                take_(Grade::kChanged, fmt::format("{}: its reason is another one: {}", what, reason));
        }
    }

    void replaced() const {
        const Json &before = base_.at("replaces"), &after = head_.at("replaces");
        if (before.empty() || before == after) return;
        if (after.empty())
            weaker("replaces nothing any more");
        else
            changed("replaces");
    }

    void arguments() const {
        const Json &before = base_.at("arg"), &after = head_.at("arg");
        if (before == after) return;
        std::vector<std::string> names_before, names_after;
        for (const Json& argument : before) names_before.push_back(name_of(argument));
        for (const Json& argument : after) names_after.push_back(name_of(argument));
        if (names_before != names_after)
            take_(Grade::kChanged,
                  fmt::format("arguments {} -> {}", fmt::join(names_before, " "), fmt::join(names_after, " ")));
        for (const Json& argument : before)
            for (const Json& other : after)
                if (name_of(argument) == name_of(other)) of_argument(argument, other);
    }

    void of_argument(const Json& before, const Json& after) const {
        std::set<std::string> fields;
        for (const Json* side : {&before, &after})
            for (const auto& [field, value] : side->items()) fields.insert(field);
        for (const std::string& field : fields) {
            const Json was = before.value(field, Json()), is_now = after.value(field, Json());
            if (was == is_now || (field == "align" && is_now < was)) continue;
            const bool less = (field == "align" && is_now > was) || (field == "init" && is_now == "zero");
            take_(less ? Grade::kWeaker : Grade::kChanged,
                  fmt::format("argument {} {} {} -> {}", name_of(before), field, was.dump(), is_now.dump()));
        }
    }

    static constexpr std::array kKnown{"gate", "chip", "finding"};

    const Json& base_;
    const Json& head_;
    Take take_;
};

/// The changes of registrations; one that all of a family share is told once.
void add_kernels(const Snapshot& base, const Snapshot& head, std::vector<Change>& changes) {
    struct Shared {
        Grade grade;
        std::string family, what;
        std::vector<std::string> names;
    };
    std::vector<Shared> found;
    std::map<std::string, std::size_t> of_family; // registrations that both have
    for (const Json& before : base.kernels) {
        const std::string name = name_of(before);
        const Json* after = find_named(head.kernels, name);
        if (after == nullptr) {
            changes.push_back({Grade::kWeaker, fmt::format("registration {} removed", name), ""});
            continue;
        }
        const auto family = after->at("family").get<std::string>();
        ++of_family[family];
        Differences(before, *after, [&](Grade grade, std::string what) {
            const auto same = std::find_if(found.begin(), found.end(), [&](const Shared& one) {
                return one.grade == grade && one.family == family && one.what == what;
            });
            if (same != found.end())
                same->names.push_back(name);
            else
                found.push_back({grade, family, std::move(what), {name}});
        }).of_kernel();
    }
    for (const Shared& one : found) {
        if (one.names.size() > 1 && one.names.size() == of_family[one.family]) {
            changes.push_back(
                {one.grade, fmt::format("all {} registrations of {}: {}", one.names.size(), one.family, one.what), ""});
            continue;
        }
        for (const std::string& name : one.names)
            changes.push_back({one.grade, fmt::format("registration {}: {}", name, one.what), ""});
    }
}

void add_controls(const Snapshot& base, const Snapshot& head, std::vector<Change>& changes) {
    for (const Json& before : base.controls) {
        const std::string subject = fmt::format("control \"{}\"", name_of(before));
        const Json* after = find_named(head.controls, name_of(before));
        if (after == nullptr) {
            changes.push_back({Grade::kWeaker, subject + " removed", ""});
            continue;
        }
        Differences(before, *after, [&](Grade grade, const std::string& what) {
            changes.push_back({grade, fmt::format("{}: {}", subject, what), ""});
        }).of_control();
        const auto was = base.control_sources.find(name_of(before)), is = head.control_sources.find(name_of(before));
        if (was != base.control_sources.end() && is != head.control_sources.end() && was->second != is->second)
            changes.push_back({Grade::kChanged,
                               fmt::format("{}: the text of its source {}", subject,
                                           after->at("plant").value("source", Json("")).get<std::string>()),
                               ""});
    }
}

void add_toolchains(const Snapshot& base, const Snapshot& head, std::vector<Change>& changes) {
    for (const ToolchainSpec& before : base.toolchains) {
        const auto take = [&](Grade grade, const std::string& what) {
            changes.push_back({grade, fmt::format("toolchain {}{}", before.name, what), ""});
        };
        const auto after = std::find_if(head.toolchains.begin(), head.toolchains.end(),
                                        [&](const ToolchainSpec& spec) { return spec.name == before.name; });
        if (after == head.toolchains.end()) {
            take(Grade::kWeaker, " removed");
            continue;
        }
        if (after->kind != before.kind) take(Grade::kChanged, ": kind changed");
        if (after->version != before.version)
            take(Grade::kChanged, fmt::format(": version {} -> {}", before.version, after->version));
        if (after->pinned != before.pinned)
            take(Grade::kChanged, after->pinned ? ": now pinned" : ": no longer pinned");
        if (after->compilers != before.compilers) take(Grade::kChanged, ": compilers changed");
        if (after->chips != before.chips)
            take(Grade::kChanged,
                 fmt::format(": chips {} -> {}",
                             before.chips.empty() ? "all" : fmt::format("{}", fmt::join(before.chips, " ")),
                             after->chips.empty() ? "all" : fmt::format("{}", fmt::join(after->chips, " "))));
    }
}

/// Whether what a record of the family is made from is the same in both.
bool same_kernels(const Snapshot& base, const Snapshot& head, const std::string& family) {
    const auto builds = [&](const Snapshot& of) {
        std::set<std::tuple<std::string, std::string, std::string>> all; // source, its hash, flags
        for (const Json& kernel : of.kernels) {
            if (kernel.at("family") != family) continue;
            const auto source = kernel.at("source").get<std::string>();
            const auto hash = of.sources.find(source);
            all.emplace(source, hash == of.sources.end() ? "" : hash->second, kernel.at("flags").dump());
        }
        return all;
    };
    return builds(base) == builds(head);
}

/// Whether a registration of the head launches `symbol` on `chip`.
bool is_launched(const Snapshot& head, const std::string& family, const std::string& chip, const std::string& symbol) {
    return std::any_of(head.kernels.begin(), head.kernels.end(), [&](const Json& kernel) {
        const Json& launches = kernel.at("launch");
        return kernel.at("family") == family && holds(kernel.at("chips"), chip) &&
               std::any_of(launches.begin(), launches.end(),
                           [&](const Json& launch) { return launch.at("symbol") == symbol; });
    });
}

std::string fields_text(const pm::Resources& before, const pm::Resources& after) {
    std::string text;
    for (const records::Field& field : records::fields())
        if (before.*field.value != after.*field.value)
            text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", field.name, before.*field.value,
                                after.*field.value);
    return text;
}

/// Whether both name the same compiler for a toolchain.
bool same_compiler(const Snapshot& base, const Snapshot& head, const std::string& toolchain) {
    const auto spec_of = [&](const Snapshot& of) {
        return std::find_if(of.toolchains.begin(), of.toolchains.end(),
                            [&](const ToolchainSpec& spec) { return spec.name == toolchain; });
    };
    const auto before = spec_of(base), after = spec_of(head);
    return before != base.toolchains.end() && after != head.toolchains.end() && before->kind == after->kind &&
           before->version == after->version && before->compilers == after->compilers;
}

/// Every set of flags that a family is built with.
std::set<std::string> flags_of(const Snapshot& of, const std::string& family) {
    std::set<std::string> flags;
    for (const Json& kernel : of.kernels)
        if (kernel.at("family") == family) flags.insert(kernel.at("flags").dump());
    return flags;
}

bool any_launched(const Snapshot& head, const std::string& family, const std::string& chip,
                  const records::ChipRecords& records) {
    return std::any_of(records.kernels.begin(), records.kernels.end(),
                       [&](const auto& record) { return is_launched(head, family, chip, record.first); });
}

void add_records(const Snapshot& base, const Snapshot& head, std::vector<Change>& changes) {
    const auto weaker = [&](std::string what) { changes.push_back({Grade::kWeaker, std::move(what), ""}); };
    for (const records::RecordFile& before : base.records) {
        const bool installed = std::any_of(head.toolchains.begin(), head.toolchains.end(),
                                           [&](const ToolchainSpec& spec) { return spec.name == before.toolchain; });
        if (!installed) continue; // told as a toolchain
        const auto after = std::find_if(head.records.begin(), head.records.end(), [&](const records::RecordFile& file) {
            return file.toolchain == before.toolchain && file.family == before.family;
        });
        const bool same = same_kernels(base, head, before.family);
        const bool same_flags = flags_of(base, before.family) == flags_of(head, before.family);
        for (const auto& [chip, then] : before.chips) {
            const records::ChipRecords* now = nullptr;
            if (after != head.records.end())
                if (const auto at = after->chips.find(chip); at != after->chips.end()) now = &at->second;
            if (now == nullptr) {
                if (any_launched(head, before.family, chip, then))
                    weaker(fmt::format("records of {} for {} on {} removed", before.toolchain, before.family, chip));
                continue;
            }
            const Fingerprint &made_by = then.fingerprint, &now_by = now->fingerprint;
            const bool other_compiler = made_by.idents != now_by.idents;
            const bool other_flags = made_by.flags != now_by.flags && same_flags;
            if ((other_compiler || other_flags) && same_compiler(base, head, before.toolchain))
                changes.push_back({Grade::kChanged,
                                   fmt::format("records of {} for {} on {}: fingerprint {} -> {}, with no change of "
                                               "toolchains.toml",
                                               before.toolchain, before.family, chip, made_by.text(), now_by.text()),
                                   ""});
            for (const auto& [symbol, resources] : then.kernels) {
                const std::string subject = fmt::format("record {} {} {}", before.toolchain, chip, symbol);
                const auto at = now->kernels.find(symbol);
                if (at == now->kernels.end()) {
                    if (is_launched(head, before.family, chip, symbol)) weaker(subject + " removed");
                    continue;
                }
                const std::string fields = fields_text(resources, at->second);
                if (same && now->fingerprint == then.fingerprint && !fields.empty())
                    weaker(fmt::format("{}: {}, with no change of its kernel or toolchain", subject, fields));
            }
        }
    }
}

/// The part of the checks that a file belongs to: its folder, two deep at most; empty for a file of the top folder.
std::string part_of(const std::filesystem::path& file) {
    std::filesystem::path part;
    int depth = 0;
    for (const auto& name : file.parent_path())
        if (depth++ < 2) part /= name;
    return part.generic_string();
}

/// Hash of what a control's own source is made of and its registration's is not; nothing where it has none.
pm::Result<std::optional<std::string>> own_source_hash(const Registry& registry, const Control& control) {
    const auto* build = std::get_if<PlantBuild>(&control.plant);
    if (build == nullptr || build->source.empty()) return std::optional<std::string>();
    const Kernel* twin = registry.find_kernel(control.of);
    auto files = source_files(registry.root, build->source, twin == nullptr ? std::vector<std::string>{} : twin->flags);
    if (!files) return files.error();
    if (twin != nullptr) {
        const auto shared = source_files(registry.root, twin->source, twin->flags);
        if (!shared) return shared.error();
        std::erase_if(*files, [&](const std::string& file) {
            return std::find(shared->begin(), shared->end(), file) != shared->end();
        });
    }
    auto hash = hash_of_files(registry.root, *files);
    if (!hash) return hash.error();
    return std::optional<std::string>(std::move(*hash));
}

} // namespace

std::string_view grade_name(Grade grade) { return grade == Grade::kWeaker ? "WEAKER" : "CHANGED"; }

std::string change_text(const Change& change) { return fmt::format("{} {}", grade_name(change.grade), change.what); }

pm::Result<Snapshot> snapshot_of(const Registry& registry) {
    Snapshot snapshot;
    std::set<std::string> families;
    for (const Kernel& kernel : registry.kernels) {
        families.insert(kernel.family);
        snapshot.kernels.push_back(declaration_of(kernel));
        if (snapshot.sources.contains(kernel.source)) continue;
        const auto files = source_files(registry.root, kernel.source, kernel.flags);
        if (!files) return files.error();
        auto hash = hash_of_files(registry.root, *files);
        if (!hash) return hash.error();
        snapshot.sources[kernel.source] = std::move(*hash);
    }
    for (const Control& control : registry.controls) {
        snapshot.controls.push_back(declaration_of(control));
        auto hash = own_source_hash(registry, control);
        if (!hash) return hash.error();
        if (*hash) snapshot.control_sources[control.name] = std::move(**hash);
    }
    auto toolchains = load_toolchains(registry.root);
    if (!toolchains) return toolchains.error();
    snapshot.toolchains = std::move(*toolchains);
    for (const ToolchainSpec& toolchain : snapshot.toolchains)
        for (const std::string& family : families) {
            auto file = records::load(registry.root, toolchain.name, family);
            if (!file) return file.error();
            if (*file) snapshot.records.push_back(std::move(**file));
        }
    return snapshot;
}

std::vector<Change> contract_changes(const Snapshot& base, const Snapshot& head) {
    std::vector<Change> changes;
    add_kernels(base, head, changes);
    add_controls(base, head, changes);
    add_toolchains(base, head, changes);
    add_records(base, head, changes);
    return changes;
}

pm::Result<std::vector<Change>> checker_changes(const std::filesystem::path& root, const Revision& base) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(root / "contract" / "gates", ignored)) {
        const auto had = git(root, {"cat-file", "-e", base.commit + ":./contract/gates"});
        if (!had) return had.error();
        if (!had->succeeded()) return std::vector<Change>{};
    }
    const auto done = git(root, {"diff", "--name-only", "--no-renames", "--relative", "--ignore-submodules=none", "-z",
                                 base.commit, "--", "contract", "peacemaker", "tools", "cmake", "tests", "chips.toml",
                                 "CMakeLists.txt", "CMakePresets.json"});
    if (!done) return done.error();
    if (!done->succeeded()) return pm::Error{fmt::format("git diff with {}: {}", base.name, done->err)};
    std::map<std::string, std::vector<std::string>> folders;
    for (const std::string& file : pm::split(done->out, '\0'))
        if (!file.empty()) folders[part_of(file)].push_back(file);
    std::vector<Change> changes;
    for (auto& [folder, files] : folders) {
        std::sort(files.begin(), files.end()); // diff.orderFile is nobody's business here
        changes.push_back(
            {Grade::kChanged,
             fmt::format("the checks themselves, {}: {} files differ: {}",
                         folder.empty() ? "the top folder" : folder + "/", files.size(), fmt::join(files, " ")),
             ""});
    }
    return changes;
}

std::vector<Change> oracle_changes(const std::vector<OracleLibrary>& base, const std::vector<OracleLibrary>& head) {
    const bool all = std::all_of(base.begin(), base.end(), [&](const OracleLibrary& library) {
        return std::find(head.begin(), head.end(), library) != head.end();
    });
    if (all) return {};
    return {{Grade::kChanged, fmt::format("libraries of oracles: {} -> {}", libraries_text(base), libraries_text(head)),
             ""}};
}

pm::Result<void> give_reasons(std::vector<Change>& changes, const std::vector<Reason>& reasons, bool all) {
    for (const Reason& reason : reasons) {
        if (const std::string why = why_no_reason(reason.why); !why.empty())
            return pm::Error{fmt::format("--reason \"{}\": \"{}\" is no reason: {}", reason.pattern, reason.why, why)};
        if (hides_text(reason.pattern))
            return pm::Error{fmt::format("--reason \"{}\": a pattern that hides or turns text", reason.pattern)};
        bool matches = false;
        for (Change& change : changes) {
            if (!pm::glob_match(reason.pattern, change_text(change))) continue;
            matches = true;
            if (change.reason.empty()) change.reason = reason.why;
        }
        if (!matches && all)
            return pm::Error{
                fmt::format("--reason \"{}\" matches none of {} contract changes", reason.pattern, changes.size())};
    }
    return {};
}

} // namespace hkc::receipt
