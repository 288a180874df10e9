#include "peacemaker/mutate/folder.h"

#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <system_error>

namespace pm::mutate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = "index.json";

/// What an index in the folder names, itself included; nothing where there is none of ours.
std::set<std::string> indexed(const fs::path& folder) {
    const auto text = read_file(folder / kIndex);
    if (!text) return {};
    const auto index = nlohmann::json::parse(*text, nullptr, false);
    if (!index.is_object() || index.value("tool", nlohmann::json()) != "peacemaker mutate") return {};
    std::set<std::string> names = {kIndex};
    for (const auto& mutant : index.value("mutants", nlohmann::json::array()))
        if (const auto name = mutant.find("file"); name != mutant.end() && name->is_string()) names.insert(*name);
    return names;
}

Result<void> remove_earlier(const fs::path& folder) {
    std::error_code failure;
    const auto failed = [&] { return Error{fmt::format("{}: {}", folder.string(), failure.message())}; };
    if (!fs::exists(folder, failure)) return {};
    const std::set<std::string> ours = indexed(folder);
    // Only what the folder itself lists is removed, so that no name in an index leads out of it.
    std::vector<fs::path> found;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        const std::string name = at->path().filename().string();
        std::error_code unknown;
        if (!ours.contains(name) || !at->is_regular_file(unknown))
            return Error{fmt::format("{}: holds {}, which no index of mutants there names; expected an empty folder, "
                                     "or one that peacemaker mutate wrote",
                                     folder.string(), name)};
        if (name != kIndex) found.push_back(at->path());
    }
    if (failure) return failed();
    // The index goes last: what is left after an error can still be removed.
    if (!ours.empty()) found.push_back(folder / kIndex);
    for (const fs::path& path : found)
        if (fs::remove(path, failure); failure) return failed();
    return {};
}

} // namespace

Result<void> write_folder(const fs::path& folder, std::string_view file, const CodeObject& object,
                          const std::vector<Mutant>& mutants) {
    if (auto removed = remove_earlier(folder); !removed) return removed;
    std::vector<std::string> names;
    for (const Mutant& mutant : mutants) {
        names.push_back(fmt::format("{:05}.co", names.size()));
        if (auto written = write_file_atomically(folder / names.back(), patched(object.bytes, mutant.patch)); !written)
            return written;
    }
    return write_file_atomically(folder / kIndex, index_json(file, object, mutants, names));
}

} // namespace pm::mutate
