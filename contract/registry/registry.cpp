#include "contract/registry/registry.h"

#include "contract/registry/draft.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hkc {
namespace {

constexpr std::array<std::string_view, 3> kFileKeys{"family", "kernel", "control"};
constexpr std::array<std::string_view, 13> kFamilyKeys{"name",  "source",  "flags",   "chips", "oracle",
                                                       "match", "bitwise", "certify", "nan",   "params",
                                                       "arg",   "launch",  "shape"};
constexpr std::size_t kMostControls = 16384;

struct TypeRow {
    std::string_view name;
    std::uint32_t bytes;
};
constexpr std::array<TypeRow, 13> kTypeRows{{{"activation", 2},
                                             {"fp16", 2},
                                             {"bf16", 2},
                                             {"f32", 4},
                                             {"f64", 8},
                                             {"i8", 1},
                                             {"u8", 1},
                                             {"i16", 2},
                                             {"u16", 2},
                                             {"i32", 4},
                                             {"u32", 4},
                                             {"i64", 8},
                                             {"u64", 8}}};

FamilyDraft read_family(const Entry& entry) {
    entry.allow(kFamilyKeys);
    FamilyDraft family;
    family.at = family.source_at = entry.at();
    if (const toml::node* name = entry.require("name")) {
        family.name = entry.text(*name, "name").value_or("");
        if (!is_plain_name(family.name))
            entry.problem(entry.at(*name),
                          fmt::format("name '{}'; expected letters, digits, '_', '-' and '.'", family.name));
    }
    if (const toml::node* source = entry.require("source")) {
        family.source_at = entry.at(*source);
        if (const auto text = entry.text(*source, "source")) {
            family.source = *text;
            if (const std::string why = bad_source_path(family.source); !why.empty())
                entry.problem(family.source_at, fmt::format("source '{}' {}", family.source, why));
        }
    }
    if (const toml::node* flags = entry.require("flags")) {
        for (auto& [flag, at] : entry.texts(*flags, "flags")) family.flags.push_back(std::move(flag));
    }
    return family;
}

/// The elements of an array of tables of the file; a wrong type is reported.
std::vector<const toml::table*> file_tables(const Entry& entry, std::string_view key) {
    const toml::node* node = entry.find(key);
    if (node == nullptr) return {};
    return entry.tables(*node, key);
}

/// Reports every string that is kBlank, by its path of keys; whether there was one.
bool report_blanks(const toml::node& node, const std::string& path, const Entry& entry) {
    bool found = false;
    if (const toml::table* table = node.as_table()) {
        for (const auto& [key, value] : *table)
            found |= report_blanks(value, path.empty() ? std::string(key.str()) : fmt::format("{}.{}", path, key.str()),
                                   entry);
    } else if (const toml::array* array = node.as_array()) {
        for (std::size_t i = 0; i < array->size(); ++i)
            found |= report_blanks((*array)[i], fmt::format("{}[{}]", path, i), entry);
    } else if (const toml::value<std::string>* text = node.as_string(); text != nullptr && text->get() == kBlank) {
        entry.diagnostics().add(
            entry.at(node), fmt::format("{}: a blank, {}; expected what the comment beside it asks for", path, kBlank));
        found = true;
    }
    return found;
}

pm::Result<Registry> finish(Draft& draft, Registry registry, const std::filesystem::path* root,
                            Diagnostics& diagnostics) {
    for (const KernelDraft& kernel : draft.kernels) registry.kernels.push_back(kernel.kernel);
    check_all(draft, registry, diagnostics);
    if (root != nullptr) check_sources(draft, *root, diagnostics);
    if (!diagnostics.empty()) return diagnostics.error();
    for (ControlDraft& control : draft.controls) registry.controls.push_back(std::move(control.control));
    return registry;
}

} // namespace

std::uint32_t element_bytes(ElementType type) { return kTypeRows[static_cast<std::size_t>(type)].bytes; }
std::string_view element_name(ElementType type) { return kTypeRows[static_cast<std::size_t>(type)].name; }

const Argument* Kernel::find_argument(std::string_view wanted) const {
    const auto found =
        std::find_if(args.begin(), args.end(), [&](const Argument& argument) { return argument.name == wanted; });
    return found == args.end() ? nullptr : &*found;
}

const Kernel* Registry::find_kernel(std::string_view wanted) const {
    const auto found =
        std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == wanted; });
    return found == kernels.end() ? nullptr : &*found;
}

Scope scope_of(const Kernel& kernel, const Shape& shape) {
    Scope scope = kernel.params;
    scope.insert(shape.values.begin(), shape.values.end());
    return scope;
}

pm::Result<std::int64_t> element_count(const Argument& argument, const Scope& scope) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < argument.dims.size(); ++i) {
        const auto where = [&] { return fmt::format("argument \"{}\" dims[{}]", argument.name, i); };
        const auto dim = argument.dims[i].evaluate(scope);
        if (!dim) return dim.error().with(where());
        if (*dim < 0)
            return pm::Error{fmt::format("{}: '{}' is {}; expected 0 or more", where(), argument.dims[i].text(), *dim)};
        if (__builtin_mul_overflow(count, *dim, &count))
            return pm::Error{fmt::format("{}: the elements do not fit in 64 bits", where())};
    }
    return count;
}

void read_file_into(Draft& draft, std::string_view toml_text, const std::string& file, const KnownNames& names,
                    Diagnostics& diagnostics) {
    toml::table root;
    try {
        root = toml::parse(toml_text, file);
    } catch (const toml::parse_error& error) {
        diagnostics.add({file, error.source().begin.line}, fmt::format("not TOML: {}", error.description()));
        return;
    }
    const Entry entry(root, "registry", file, diagnostics);
    // Each once; reading on would tell of each again, as a name that nobody knows.
    if (report_blanks(root, "", entry)) return;
    entry.allow(kFileKeys);
    const toml::node* family_node = root.get("family");
    const toml::table* family_table = nullptr;
    if (family_node == nullptr)
        diagnostics.add({file, 1}, "registry: table [family] is missing");
    else
        family_table = entry.table(*family_node, "family", "[family]");
    FamilyDraft family;
    const toml::table none;
    if (family_table != nullptr) {
        family = read_family(Entry(*family_table, "family", file, diagnostics));
        draft.families.push_back(family);
    }
    const auto kernels = file_tables(entry, "kernel");
    if (!root.contains("kernel")) diagnostics.add({file, 1}, "registry: no [[kernel]]; expected at least one");
    for (const toml::table* table : kernels)
        read_kernel(draft, family, *table, family_table == nullptr ? none : *family_table, file, names, diagnostics);
    for (const toml::table* table : file_tables(entry, "control")) {
        read_control(draft, *table, file, names, diagnostics);
        if (draft.controls.size() > kMostControls) {
            diagnostics.add({file, table->source().begin.line}, fmt::format("more than {} controls", kMostControls));
            return;
        }
    }
}

pm::Result<Registry> parse_registry(std::string_view toml_text, const std::string& file, const KnownNames& names) {
    Draft draft;
    Diagnostics diagnostics;
    read_file_into(draft, toml_text, file, names, diagnostics);
    return finish(draft, Registry{}, nullptr, diagnostics);
}

pm::Result<Registry> load_registry(const std::filesystem::path& root, const KnownNames& names) {
    const std::filesystem::path folder = root / "registry";
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        if (it->path().extension() == ".toml") files.push_back(it->path());
    }
    if (failed)
        return pm::Error{
            fmt::format("{}: {}; expected a folder with one TOML file a family", folder.string(), failed.message())};
    if (files.empty()) return pm::Error{fmt::format("{}: no *.toml file; expected one a family", folder.string())};
    std::sort(files.begin(), files.end());

    Draft draft;
    Diagnostics diagnostics;
    for (const std::filesystem::path& path : files) {
        const std::string name = "registry/" + path.filename().string();
        const auto text = pm::read_file(path);
        if (!text) {
            diagnostics.add({name, 0}, text.error().text);
            continue;
        }
        read_file_into(draft, *text, name, names, diagnostics);
    }
    Registry registry;
    registry.root = root;
    return finish(draft, std::move(registry), &root, diagnostics);
}

} // namespace hkc
