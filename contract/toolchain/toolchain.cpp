#include "contract/toolchain/toolchain.h"

#include "contract/toolchain/cache.h"
#include "contract/toolchain/compile.h"
#include "contract/toolchain/subprocess.h"
#include "peacemaker/chip/chip.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

namespace hkc {
namespace {

namespace fs = std::filesystem;

std::string text_of(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return out.str();
}

/// Reads one toolchains.toml; every message begins with file:line.
class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    pm::Result<std::vector<ToolchainSpec>> parse(const toml::table& root) const {
        for (const auto& [key, value] : root)
            if (key.str() != "toolchain")
                return at(value, fmt::format("unknown key \"{}\"; expected [[toolchain]] tables only", key.str()));
        const toml::array* rows = root["toolchain"].as_array();
        if (rows == nullptr || rows->empty())
            return pm::Error{fmt::format("{}:1: no toolchain; expected at least one [[toolchain]] table", file_)};
        std::vector<ToolchainSpec> specs;
        std::set<std::string> names;
        const ToolchainSpec* pinned = nullptr;
        specs.reserve(rows->size());
        for (const toml::node& row : *rows) {
            const toml::table* table = row.as_table();
            if (table == nullptr) return at(row, "\"toolchain\" is no table; expected [[toolchain]]");
            pm::Result<ToolchainSpec> spec = parse_spec(*table);
            if (!spec) return spec.error();
            if (!names.insert(spec->name).second)
                return at(row, fmt::format("toolchain \"{}\" is there twice; expected each name once", spec->name));
            if (spec->pinned && pinned != nullptr)
                return at(row, fmt::format("toolchain \"{}\" is pinned, and so is \"{}\"; expected exactly one",
                                           spec->name, pinned->name));
            specs.push_back(std::move(*spec));
            if (specs.back().pinned) pinned = &specs.back();
        }
        if (pinned == nullptr)
            return pm::Error{
                fmt::format("{}:1: no toolchain is pinned; expected `pinned = true` in exactly one", file_)};
        return specs;
    }

private:
    [[nodiscard]] pm::Error at(const toml::node& node, const std::string& what) const {
        return pm::Error{fmt::format("{}:{}: {}", file_, node.source().begin.line, what)};
    }

    [[nodiscard]] pm::Error wrong(const toml::node& node, std::string_view key, std::string_view expected) const {
        return at(node, fmt::format("{} = {}; expected {}", key, text_of(node), expected));
    }

    pm::Result<std::string> word(const toml::table& table, std::string_view key) const {
        const toml::node& node = *table.get(key);
        const toml::value<std::string>* value = node.as_string();
        if (value == nullptr || value->get().empty()) return wrong(node, key, "a text");
        return value->get();
    }

    pm::Result<std::vector<std::string>> words(const toml::table& table, std::string_view key) const {
        const toml::node& node = *table.get(key);
        const toml::array* array = node.as_array();
        if (array == nullptr || array->empty()) return wrong(node, key, "a list of texts, at least one");
        std::vector<std::string> out;
        for (const toml::node& element : *array) {
            const toml::value<std::string>* value = element.as_string();
            if (value == nullptr || value->get().empty()) return wrong(element, key, "texts");
            out.push_back(value->get());
        }
        return out;
    }

    pm::Result<ToolchainSpec> parse_spec(const toml::table& table) const {
        const std::vector<std::string> required = {"name", "kind", "version", "compilers"};
        std::vector<std::string> known = required;
        known.insert(known.end(), {"pinned", "chips"});
        for (const auto& [key, value] : table)
            if (std::find(known.begin(), known.end(), key.str()) == known.end())
                return at(value, fmt::format("unknown key \"{}\" in [[toolchain]]{}", key.str(),
                                             pm::did_you_mean(key.str(), known)));
        for (const std::string& key : required)
            if (!table.contains(key)) return at(table, fmt::format("[[toolchain]] has no \"{}\"", key));

        ToolchainSpec spec;
        spec.line = table.source().begin.line;
        auto name = word(table, "name");
        if (!name) return name.error();
        // It is the name of a folder.
        if (name->find('/') != std::string::npos || name->starts_with('.') || name->find(' ') != std::string::npos)
            return wrong(*table.get("name"), "name", "a name without '/' or blank, that is no hidden file's");
        spec.name = *name;
        auto kind = word(table, "kind");
        if (!kind) return kind.error();
        const std::map<std::string, CompilerKind> kinds = {
            {"clang", CompilerKind::kClang}, {"clang-hip", CompilerKind::kClangHip}, {"hipcc", CompilerKind::kHipcc}};
        const auto named = kinds.find(*kind);
        if (named == kinds.end()) return wrong(*table.get("kind"), "kind", R"("clang", "clang-hip" or "hipcc")");
        spec.kind = named->second;
        auto version = word(table, "version");
        if (!version) return version.error();
        if (std::isdigit(static_cast<unsigned char>(version->front())) == 0)
            return wrong(*table.get("version"), "version", "a version, like \"22.1.8\"");
        spec.version = *version;
        auto compilers = words(table, "compilers");
        if (!compilers) return compilers.error();
        spec.compilers = *compilers;
        for (const std::string& compiler : spec.compilers)
            if (compiler.find('/') != std::string::npos && !fs::path(compiler).is_absolute())
                return at(*table.get("compilers"),
                          fmt::format("compiler \"{}\"; expected a program's name or an absolute path", compiler));
        if (const toml::node* node = table.get("pinned")) {
            const toml::value<bool>* value = node->as_boolean();
            if (value == nullptr) return wrong(*node, "pinned", "true or false");
            spec.pinned = value->get();
        }
        if (const toml::node* node = table.get("chips")) {
            auto chips = words(table, "chips");
            if (!chips) return chips.error();
            for (const std::string& chip : *chips)
                if (auto found = pm::find_chip(chip); !found) return at(*node, found.error().text);
            spec.chips = *chips;
        }
        return spec;
    }

    const std::string& file_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The dotted numbers of a text, as they stand.
std::vector<std::string> versions_in(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_digit(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() &&
               (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
            ++end;
        std::string number(text.substr(i, end - i));
        if (number.find('.') != std::string::npos) out.push_back(std::move(number));
        i = end;
    }
    return out;
}

/// Whether `text` names a version of the same major release: another build of the same compiler, not another compiler.
bool says_same_release(std::string_view text, std::string_view version) {
    const std::string_view major = version.substr(0, version.find('.'));
    const std::vector<std::string> said = versions_in(text);
    return std::any_of(said.begin(), said.end(), [major](const std::string& number) {
        return std::string_view(number).substr(0, number.find('.')) == major;
    });
}

/// The folders that a bare program name is looked for in, in order.
std::vector<fs::path> search_folders() {
    std::vector<fs::path> folders;
    std::vector<fs::path> roots;
    if (const char* rocm = std::getenv("ROCM_PATH"); rocm != nullptr && *rocm != '\0') roots.emplace_back(rocm);
    roots.emplace_back("/opt/rocm");
    for (const fs::path& root : roots) {
        folders.push_back(root / "bin");
        folders.push_back(root / "llvm" / "bin");
    }
    if (const char* path = std::getenv("PATH"))
        for (const std::string& folder : pm::split(path, ':'))
            if (!folder.empty()) folders.emplace_back(folder);
    return folders;
}

/// Every program that could be the toolchain's compiler, in order of preference.
std::vector<fs::path> candidates(const ToolchainSpec& spec) {
    std::vector<fs::path> out;
    const auto add = [&out](const fs::path& path) {
        std::error_code error;
        if (::access(path.c_str(), X_OK) != 0 || !fs::is_regular_file(path, error)) return;
        fs::path absolute = fs::absolute(path, error);
        if (std::find(out.begin(), out.end(), absolute) == out.end()) out.push_back(std::move(absolute));
    };
    for (const std::string& name : spec.compilers) {
        if (fs::path(name).is_absolute()) {
            add(name);
            continue;
        }
        for (const fs::path& folder : search_folders()) add(folder / name);
    }
    return out;
}

/// What `--version` prints; nothing where the program does not run. Asked once a state of the file.
std::optional<std::string> version_text(const fs::path& compiler, const fs::path& cache_dir) {
    std::error_code error;
    const std::optional<FileStamp> stamp = stamp_of(fs::canonical(compiler, error));
    if (error || !stamp) return std::nullopt;
    // The folder a driver is called from decides what it drives, so the link's own name is part of the question.
    const fs::path kept = cache_dir / "versions" / (pm::sha256_hex(compiler.string()) + ".json");
    if (const std::optional<nlohmann::json> json = cache_dir.empty() ? std::nullopt : read_sealed(kept))
        if (json->is_object() && json->contains("stamp") && stamp_from((*json)["stamp"]) == stamp &&
            json->contains("text") && (*json)["text"].is_string())
            return (*json)["text"].get<std::string>();
    const pm::Result<Finished> asked = run({{compiler.string(), "--version"}, {}, compiler_environment()});
    if (!asked || !asked->succeeded()) return std::nullopt;
    // An unwritable cache costs this question again, nothing else.
    if (!cache_dir.empty()) (void)write_sealed(kept, {{"stamp", to_json(*stamp)}, {"text", asked->out}});
    return asked->out;
}

std::string first_versions(const std::string& text) {
    const std::vector<std::string> said = versions_in(text);
    return said.empty() ? "names no version" : fmt::format("says {}", fmt::join(said, ", "));
}

Toolchain describe(const ToolchainSpec& spec, const fs::path& compiler, std::string text) {
    Toolchain found;
    found.spec = spec;
    found.compiler = compiler;
    found.exact = names_version(text, spec.version);
    if (!found.exact)
        found.warning = fmt::format("toolchain {}: {} {}; toolchains.toml:{} names {}: not the pinned one", spec.name,
                                    compiler.string(), first_versions(text), spec.line, spec.version);
    std::error_code error;
    const fs::path real = fs::canonical(compiler, error);
    const FileStamp stamp = stamp_of(real).value_or(FileStamp{});
    found.identity = fmt::format("{}\n{}\n{} bytes\n{} ns\n{}", compiler.string(), real.string(), stamp.size,
                                 stamp.changed_ns, text);
    found.version_text = std::move(text);
    return found;
}

} // namespace

bool names_version(std::string_view text, std::string_view version) {
    for (std::size_t at = text.find(version); at != std::string_view::npos; at = text.find(version, at + 1)) {
        const std::size_t end = at + version.size();
        const bool starts = at == 0 || (!is_digit(text[at - 1]) && text[at - 1] != '.');
        const bool ends =
            end == text.size() ||
            (!is_digit(text[end]) && !(text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1])));
        if (starts && ends) return true;
    }
    return false;
}

bool ToolchainSpec::builds(std::string_view chip) const {
    return chips.empty() || std::find(chips.begin(), chips.end(), chip) != chips.end();
}

std::vector<std::string> compiler_environment() {
    // What a driver looks at to find its parts. All else is left out, so that a variable that adds flags changes no
    // record.
    constexpr std::array kKept = {"PATH",      "HOME",     "TMPDIR",         "LD_LIBRARY_PATH",
                                  "ROCM_PATH", "HIP_PATH", "HIP_CLANG_PATH", "HIP_DEVICE_LIB_PATH"};
    std::vector<std::string> out = {"LC_ALL=C"};
    for (const char* name : kKept)
        if (const char* value = std::getenv(name)) out.push_back(fmt::format("{}={}", name, value));
    return out;
}

pm::Result<std::vector<ToolchainSpec>> parse_toolchains(std::string_view toml_text, const std::string& file) {
    try {
        const toml::table root = toml::parse(toml_text, file);
        return Parser(file).parse(root);
    } catch (const toml::parse_error& error) {
        return pm::Error{fmt::format("{}:{}: {}", file, error.source().begin.line, error.description())};
    }
}

pm::Result<std::vector<ToolchainSpec>> load_toolchains(const fs::path& root) {
    const fs::path file = root / "toolchains.toml";
    const pm::Result<std::string> text = pm::read_file(file);
    if (!text) return text.error();
    return parse_toolchains(*text, file.string());
}

const ToolchainSpec* pinned_toolchain(std::span<const ToolchainSpec> specs) {
    const auto found = std::find_if(specs.begin(), specs.end(), [](const ToolchainSpec& spec) { return spec.pinned; });
    return found == specs.end() ? nullptr : &*found;
}

pm::Result<const ToolchainSpec*> find_toolchain(std::span<const ToolchainSpec> specs, std::string_view name) {
    std::vector<std::string> names;
    for (const ToolchainSpec& spec : specs) {
        if (spec.name == name) return &spec;
        names.push_back(spec.name);
    }
    return pm::Error{fmt::format("unknown toolchain \"{}\"{}; toolchains.toml names {}", name,
                                 pm::did_you_mean(name, names), fmt::join(names, ", "))};
}

std::optional<Toolchain> find_installed(const ToolchainSpec& spec, const fs::path& cache_dir) {
    std::optional<Toolchain> other;
    for (const fs::path& compiler : candidates(spec)) {
        std::optional<std::string> text = version_text(compiler, cache_dir);
        if (!text) continue;
        if (names_version(*text, spec.version)) return describe(spec, compiler, std::move(*text));
        if (!other && says_same_release(*text, spec.version)) other = describe(spec, compiler, std::move(*text));
    }
    return other;
}

std::string missing_text(const ToolchainSpec& spec) {
    std::vector<std::string> seen;
    for (const fs::path& compiler : candidates(spec)) {
        const std::optional<std::string> text = version_text(compiler, {});
        seen.push_back(fmt::format("{} {}", compiler.string(), text ? first_versions(*text) : "does not run"));
    }
    return fmt::format("toolchain {} is not installed: looked for {} of version {} in $ROCM_PATH, /opt/rocm and PATH{}",
                       spec.name, fmt::join(spec.compilers, ", "), spec.version,
                       seen.empty() ? std::string("; none is there")
                                    : fmt::format("; found {}", fmt::join(seen, "; ")));
}

} // namespace hkc
