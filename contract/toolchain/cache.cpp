#include "contract/toolchain/cache.h"

#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <system_error>

namespace hkc {
namespace {

constexpr std::size_t kSeal = 64; // hex digits of a SHA-256
constexpr const char* kElsewhere = "HKC_CACHE_DIR names another folder for the cache";

} // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    return FileStamp{path.string(), static_cast<std::uint64_t>(info.st_size),
                     info.st_ctim.tv_sec * kNanoseconds + info.st_ctim.tv_nsec};
}

nlohmann::json to_json(const FileStamp& stamp) {
    return {{"path", stamp.path}, {"size", stamp.size}, {"changed_ns", stamp.changed_ns}};
}

std::optional<FileStamp> stamp_from(const nlohmann::json& json) {
    try {
        return FileStamp{json.at("path").get<std::string>(), json.at("size").get<std::uint64_t>(),
                         json.at("changed_ns").get<std::int64_t>()};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

pm::Result<void> write_sealed(const std::filesystem::path& path, const nlohmann::json& json) {
    const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (auto written = pm::write_file_atomically(path, pm::sha256_hex(text) + "\n" + text); !written)
        return pm::Error{fmt::format("{}; {}", written.error().text, kElsewhere)};
    return {};
}

std::optional<nlohmann::json> read_sealed(const std::filesystem::path& path) {
    const pm::Result<std::string> bytes = pm::read_file(path);
    if (!bytes || bytes->size() <= kSeal || (*bytes)[kSeal] != '\n') return std::nullopt;
    const std::string text = bytes->substr(kSeal + 1);
    if (pm::sha256_hex(text) != bytes->substr(0, kSeal)) return std::nullopt;
    nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return std::nullopt;
    return json;
}

pm::Result<void> make_cache_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return pm::Error{
            fmt::format("{}: cannot make the folder: {}; {}", folder.string(), error.message(), kElsewhere)};
    return {};
}

} // namespace hkc
