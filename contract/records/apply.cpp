#include "contract/records/apply.h"

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace hkc::records {
namespace {

std::vector<std::string> families_of(const Registry& registry) {
    std::vector<std::string> names;
    for (const Kernel& kernel : registry.kernels)
        if (std::find(names.begin(), names.end(), kernel.family) == names.end()) names.push_back(kernel.family);
    return names;
}

/// Collects every fault of a log.
class Faults {
public:
    explicit Faults(const std::string& where) : where_(where) {}
    void add(std::uint32_t line, const std::string& what) {
        text_ += fmt::format("{}{}:{}: {}", text_.empty() ? "" : "\n", where_, line, what);
    }
    [[nodiscard]] bool any() const { return !text_.empty(); }
    [[nodiscard]] pm::Error error() const { return pm::Error{text_}; }

private:
    const std::string& where_;
    std::string text_;
};

/// The lines of one toolchain, family and chip.
struct Block {
    const FingerprintLine* first = nullptr;
    std::map<std::string, const RecordLine*, std::less<>> kernels;
};
using Blocks = std::map<std::tuple<std::string, std::string, std::string>, Block>; // toolchain, family, chip

void check_fingerprint(const Registry& registry, std::span<const ToolchainSpec> toolchains, const FingerprintLine& line,
                       Blocks& blocks, Faults& faults) {
    const pm::Result<const ToolchainSpec*> toolchain = find_toolchain(toolchains, line.toolchain);
    if (!toolchain) return faults.add(line.line, toolchain.error().text);
    if (const auto chip = pm::find_chip(line.chip); !chip) return faults.add(line.line, chip.error().text);
    if (!(*toolchain)->builds(line.chip))
        return faults.add(line.line, fmt::format("toolchain {} does not build {}: toolchains.toml:{} says it builds {}",
                                                 line.toolchain, line.chip, (*toolchain)->line,
                                                 fmt::join((*toolchain)->chips, ", ")));
    // hipcc's version is not its clang's, and only the latter signs objects.
    const std::string idents = fmt::format("{}", fmt::join(line.fingerprint.idents, " + "));
    if ((*toolchain)->kind != CompilerKind::kHipcc && !names_version(idents, (*toolchain)->version))
        return faults.add(line.line,
                          fmt::format("built by {}; toolchains.toml:{} says that {} is version {}. Records of another "
                                      "compiler belong to a toolchain of their own",
                                      idents.empty() ? "an unnamed compiler" : idents, (*toolchain)->line,
                                      line.toolchain, (*toolchain)->version));
    const std::vector<std::string> families = families_of(registry);
    if (std::find(families.begin(), families.end(), line.family) == families.end())
        return faults.add(line.line, fmt::format("unknown family \"{}\"{}; the registry declares {}", line.family,
                                                 pm::did_you_mean(line.family, families), fmt::join(families, ", ")));
    Block& block = blocks[{line.toolchain, line.family, line.chip}];
    if (block.first == nullptr)
        block.first = &line;
    else if (block.first->fingerprint != line.fingerprint)
        faults.add(line.line, fmt::format("fingerprint {} of {} {} {} contradicts line {}: {}", line.fingerprint.text(),
                                          line.toolchain, line.chip, line.family, block.first->line,
                                          block.first->fingerprint.text()));
}

void check_record(const Registry& registry, const RecordLine& line, Blocks& blocks, Faults& faults) {
    const auto found = blocks.find({line.toolchain, line.family, line.chip});
    if (found == blocks.end()) return; // its FINGERPRINT is at fault, and told
    const std::set<std::string, std::less<>> symbols = declared_symbols(registry, line.family, line.chip);
    if (!symbols.contains(line.kernel)) {
        const std::vector<std::string> names(symbols.begin(), symbols.end());
        return faults.add(
            line.line, fmt::format("unknown kernel \"{}\"{}: the registry launches no such kernel of family {} on {}",
                                   line.kernel, pm::did_you_mean(line.kernel, names), line.family, line.chip));
    }
    const auto [other, added] = found->second.kernels.emplace(line.kernel, &line);
    if (!added && other->second->resources != line.resources)
        faults.add(line.line, fmt::format("record of {} {} {} contradicts line {}", line.toolchain, line.chip,
                                          line.kernel, other->second->line));
}

/// `vgpr 40 -> 44, scratch 0 -> 16`; empty where nothing differs.
std::string field_changes(const pm::Resources& before, const pm::Resources& after) {
    std::string text;
    for (const Field& field : fields())
        if (before.*field.value != after.*field.value)
            text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", field.name, before.*field.value,
                                after.*field.value);
    return text;
}

/// `vgpr 40, sgpr 20, ..`, every field.
std::string all_fields(const pm::Resources& resources) {
    std::string text;
    for (const Field& field : fields())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field.name, resources.*field.value);
    return text;
}

std::vector<std::string> difference(const RecordFile& before, const RecordFile& after) {
    static const ChipRecords kNone;
    std::vector<std::string> lines;
    std::set<std::string> chips;
    for (const RecordFile* file : {&before, &after})
        for (const auto& [chip, records] : file->chips) chips.insert(chip);
    for (const std::string& chip : chips) {
        const auto in_before = before.chips.find(chip);
        const auto in_after = after.chips.find(chip);
        const ChipRecords& was = in_before == before.chips.end() ? kNone : in_before->second;
        const ChipRecords& is = in_after == after.chips.end() ? kNone : in_after->second;
        if (in_before == before.chips.end())
            lines.push_back(fmt::format("{}: new: {}", chip, is.fingerprint.text()));
        else if (in_after == after.chips.end())
            lines.push_back(fmt::format("{}: gone", chip));
        else if (was.fingerprint != is.fingerprint)
            lines.push_back(
                fmt::format("{}: fingerprint: {} -> {}", chip, was.fingerprint.text(), is.fingerprint.text()));
        else if (was.fingerprint.linkers != is.fingerprint.linkers)
            lines.push_back(fmt::format("{}: linker: {} -> {}", chip, fmt::join(was.fingerprint.linkers, " + "),
                                        fmt::join(is.fingerprint.linkers, " + ")));
        for (const auto& [name, resources] : was.kernels)
            if (!is.kernels.contains(name)) lines.push_back(fmt::format("{} {}: gone", chip, name));
        for (const auto& [name, resources] : is.kernels) {
            const auto old = was.kernels.find(name);
            if (old == was.kernels.end()) {
                lines.push_back(fmt::format("{} {}: new: {}", chip, name, all_fields(resources)));
                continue;
            }
            if (const std::string changed = field_changes(old->second, resources); !changed.empty())
                lines.push_back(fmt::format("{} {}: {}", chip, name, changed));
        }
    }
    return lines;
}

/// Takes out what the registry does not declare.
void drop_undeclared(const Registry& registry, const ToolchainSpec& toolchain, RecordFile& file) {
    for (auto& [chip, records] : file.chips) {
        const auto symbols = toolchain.builds(chip) ? declared_symbols(registry, file.family, chip)
                                                    : std::set<std::string, std::less<>>();
        std::erase_if(records.kernels, [&](const auto& entry) { return !symbols.contains(entry.first); });
    }
    std::erase_if(file.chips, [](const auto& entry) { return entry.second.kernels.empty(); });
}

/// Puts a block's lines into a chip's records.
void merge(const Registry& registry, const std::string& family, const std::string& chip, const Block& block,
           RecordFile& file, Faults& faults) {
    ChipRecords& records = file.chips[chip];
    const bool same = records.fingerprint == block.first->fingerprint && !records.kernels.empty();
    if (!same) records.kernels.clear();
    records.fingerprint = block.first->fingerprint;
    for (const auto& [name, line] : block.kernels) records.kernels[name] = line->resources;
    std::vector<std::string> missing;
    for (const std::string& symbol : declared_symbols(registry, family, chip))
        if (!records.kernels.contains(symbol)) missing.push_back(symbol);
    if (!missing.empty())
        faults.add(block.first->line,
                   fmt::format("no RECORD of {} of {} kernels of {} on {}: {}; {} Give every record: --records all",
                               missing.size(), declared_symbols(registry, family, chip).size(), family, chip,
                               fmt::join(missing, ", "),
                               same ? "the file does not hold them either."
                                    : "the file holds records of another fingerprint, or none."));
}

} // namespace

std::set<std::string, std::less<>> declared_symbols(const Registry& registry, std::string_view family,
                                                    std::string_view chip) {
    std::set<std::string, std::less<>> symbols;
    for (const Kernel& kernel : registry.kernels) {
        if (kernel.family != family || std::find(kernel.chips.begin(), kernel.chips.end(), chip) == kernel.chips.end())
            continue;
        for (const Launch& launch : kernel.launches) symbols.insert(launch.symbol);
    }
    return symbols;
}

pm::Result<std::vector<Change>> plan(const std::filesystem::path& root, const Registry& registry,
                                     std::span<const ToolchainSpec> toolchains, const Log& log,
                                     const std::string& where) {
    Faults faults(where);
    Blocks blocks;
    for (const FingerprintLine& line : log.fingerprints) check_fingerprint(registry, toolchains, line, blocks, faults);
    for (const RecordLine& line : log.records) check_record(registry, line, blocks, faults);
    if (faults.any()) return faults.error();

    std::map<std::pair<std::string, std::string>, RecordFile> before; // toolchain, family
    std::map<std::pair<std::string, std::string>, RecordFile> after;
    for (const auto& [key, block] : blocks) {
        if (block.kernels.empty()) continue; // --records problems where there is no problem
        const auto& [toolchain, family, chip] = key;
        const std::pair<std::string, std::string> name{toolchain, family};
        if (!after.contains(name)) {
            pm::Result<std::optional<RecordFile>> old = load(root, toolchain, family);
            if (!old) return old.error();
            before[name] = old->value_or(RecordFile{toolchain, family, {}});
            after[name] = before[name];
            drop_undeclared(registry, **find_toolchain(toolchains, toolchain), after[name]);
        }
        merge(registry, family, chip, block, after[name], faults);
    }
    if (faults.any()) return faults.error();

    std::vector<Change> changes;
    for (auto& [name, file] : after) {
        Change change{path_of(root, name.first, name.second), std::move(file), {}};
        change.difference = difference(before[name], change.after);
        changes.push_back(std::move(change));
    }
    return changes;
}

pm::Result<void> write(std::span<const Change> changes) {
    for (const Change& change : changes) {
        if (change.difference.empty()) continue;
        if (auto written = pm::write_file_atomically(change.path, to_json(change.after)); !written)
            return written.error();
    }
    return {};
}

} // namespace hkc::records
