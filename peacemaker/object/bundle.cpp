#include "peacemaker/object/bundle.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/DataExtractor.h>

namespace pm {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";

Error damaged(const std::string& where, std::uint64_t offset, const std::string& what) {
    return Error{fmt::format("{}: offset {:#x}: damaged offload bundle: {}", where, offset, what)};
}

} // namespace

bool is_bundle(std::string_view bytes) { return bytes.starts_with(kMagic); }
bool is_compressed_bundle(std::string_view bytes) { return bytes.starts_with(kCompressedMagic); }

std::string_view chip_of_entry(std::string_view id) {
    const std::size_t at = id.find("-gfx");
    if (at == std::string_view::npos) return {};
    id.remove_prefix(at + 1);
    return id.substr(0, id.find(':'));
}

Result<std::vector<BundleEntry>> bundle_entries(std::string_view bytes, const std::string& where) {
    llvm::DataExtractor data(llvm::StringRef(bytes.data(), bytes.size()), /*IsLittleEndian=*/true,
                             /*AddressSize=*/8);
    llvm::DataExtractor::Cursor at(kMagic.size());
    std::vector<BundleEntry> entries;
    const std::uint64_t count = data.getU64(at);
    for (std::uint64_t i = 0; at && i < count; ++i) {
        const std::uint64_t start = at.tell();
        const std::uint64_t offset = data.getU64(at);
        const std::uint64_t size = data.getU64(at);
        const std::uint64_t id_size = data.getU64(at);
        const llvm::StringRef id = data.getBytes(at, id_size);
        if (!at) break;
        if (offset > bytes.size() || size > bytes.size() - offset)
            return damaged(
                where, start,
                fmt::format("entry {} is [{:#x}, +{:#x}) of a file of {:#x} bytes", i, offset, size, bytes.size()));
        if (size == 0 || chip_of_entry(id).empty()) continue;
        entries.push_back({id.str(), offset, bytes.substr(offset, size)});
    }
    const std::uint64_t stopped = at.tell();
    if (llvm::Error error = at.takeError()) return damaged(where, stopped, llvm::toString(std::move(error)));
    return entries;
}

Result<BundleEntry> find_bundle_entry(std::string_view bytes, const std::string& where, const Chip* want) {
    const Result<std::vector<BundleEntry>> entries = bundle_entries(bytes, where);
    if (!entries) return entries.error();
    std::vector<std::string> held;
    for (const BundleEntry& entry : *entries) held.push_back(entry.id);
    if (want == nullptr) {
        if (entries->size() == 1) return entries->front();
        return Error{fmt::format("{}: an offload bundle of {} device entries ({}); expected one, or the name of a chip",
                                 where, held.size(), fmt::join(held, ", "))};
    }
    for (const BundleEntry& entry : *entries)
        if (chip_of_entry(entry.id) == want->name) return entry;
    return Error{fmt::format("{}: this offload bundle has no entry for {}; it holds {}", where, want->name,
                             held.empty() ? "no device entry" : fmt::format("{}", fmt::join(held, ", ")))};
}

} // namespace pm
