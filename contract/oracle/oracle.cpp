#include "contract/oracle/oracle.h"

#include "contract/oracle/affine.h"
#include "contract/oracle/plugin.h"
#include "contract/oracle/relu2.h"
#include "peacemaker/support/file.h"

#include <cmath>
#include <dlfcn.h>
#include <exception>
#include <link.h>
#include <utility>

namespace hkc {
namespace {

using Table = std::map<std::string, Oracle, std::less<>>;

// Nodes of a map stay where they are, so pointers from find_oracle outlive later additions.
struct Known {
    Table oracles = {
        {"affine", affine_oracle},
        {"affine_relu2", affine_relu2_oracle},
        {"relu2", relu2_oracle},
    };
    std::vector<OracleLibrary> libraries;
};
Known& known() {
    static Known all;
    return all;
}
Table& table() { return known().oracles; }

// What the library that is being loaded has added so far; the entry point takes no context pointer.
std::vector<std::pair<std::string, Oracle>>& pending() {
    static std::vector<std::pair<std::string, Oracle>> added;
    return added;
}

void add_pending(const char* name, Oracle oracle) {
    pending().emplace_back(name == nullptr ? "" : name, std::move(oracle));
}

/// The library behind `handle`, which was asked for as `path`. Error: it cannot be read.
pm::Result<OracleLibrary> library_of(void* handle, const std::filesystem::path& path) {
    link_map* found = nullptr;
    const bool told = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&found)) == 0 && found != nullptr;
    const std::filesystem::path file = told && *found->l_name != '\0' ? found->l_name : path;
    const auto bytes = pm::read_file(file);
    if (!bytes) return bytes.error();
    return OracleLibrary{file.filename().string(), pm::sha256_hex(*bytes)};
}

} // namespace

const Oracle* find_oracle(std::string_view name) {
    const auto found = table().find(name);
    return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> oracle_names() {
    std::vector<std::string> names;
    for (const auto& [name, oracle] : table()) names.push_back(name);
    return names;
}

bool contains(const OutputBound& bound, double value) {
    if (std::isnan(value)) return bound.nan;
    if (std::isinf(value)) return value > 0 ? bound.pos_inf : bound.neg_inf;
    return bound.finite && bound.lo <= value && value <= bound.hi;
}

pm::Result<void> load_oracles(const std::filesystem::path& library) {
    const std::string where = library.string();
    // A name without a slash would be looked for by the loader, which does not look here.
    const std::filesystem::path file = library.has_parent_path() ? library : "." / library;
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return pm::Error{where + ": cannot be loaded as an oracle library: " + dlerror()};
    auto* entry = reinterpret_cast<decltype(&hkc_register_oracles)>(dlsym(handle, "hkc_register_oracles"));
    if (entry == nullptr) {
        dlclose(handle);
        return pm::Error{where +
                         ": no symbol hkc_register_oracles; expected an oracle library (contract/oracle/plugin.h)"};
    }
    pending().clear();
    std::string problem;
    try {
        entry(add_pending);
    } catch (const std::exception& e) {
        problem = std::string("hkc_register_oracles threw: ") + e.what();
    } catch (...) {
        problem = "hkc_register_oracles threw";
    }
    Table added;
    for (auto& [name, oracle] : pending()) {
        if (!problem.empty()) break;
        if (name.empty())
            problem = "an oracle without a name; expected a name that a registry can use";
        else if (!oracle)
            problem = "oracle \"" + name + "\" has no function";
        else if (find_oracle(name) != nullptr || !added.emplace(name, std::move(oracle)).second)
            problem = "oracle \"" + name + "\" is there already; expected a name of its own";
    }
    pending().clear();
    if (problem.empty() && added.empty()) problem = "hkc_register_oracles added no oracle";
    auto loaded = library_of(handle, file);
    if (problem.empty() && !loaded) problem = loaded.error().text;
    if (!problem.empty()) {
        added.clear();
        dlclose(handle);
        return pm::Error{where + ": " + problem};
    }
    table().merge(added);
    known().libraries.push_back(std::move(*loaded));
    return {};
}

std::string libraries_text(const std::vector<OracleLibrary>& libraries) {
    std::string text;
    for (const OracleLibrary& library : libraries)
        text += (text.empty() ? "" : ", ") + library.name + " sha256 " + library.sha256;
    return text.empty() ? "none" : text;
}

std::vector<OracleLibrary> loaded_oracle_libraries() { return known().libraries; }

struct OtherOracles::Before {
    Known known;
};

pm::Result<OtherOracles> OtherOracles::load(const std::vector<std::filesystem::path>& libraries) {
    OtherOracles others(std::make_unique<Before>(Before{std::exchange(known(), {})}));
    for (const std::filesystem::path& library : libraries)
        if (auto loaded = load_oracles(library); !loaded) return loaded.error();
    return others;
}

OtherOracles::OtherOracles(std::unique_ptr<Before> before) : before_(std::move(before)) {}
OtherOracles::OtherOracles(OtherOracles&&) noexcept = default;
OtherOracles::~OtherOracles() {
    if (before_) known() = std::move(before_->known);
}

} // namespace hkc
