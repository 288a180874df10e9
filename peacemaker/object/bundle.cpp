#include "peacemaker/object/bundle.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/DataExtractor.h>

#include <algorithm>

namespace pm {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";

Error damaged(std::uint64_t offset, const std::string& what) {
    return Error{fmt::format("offset {:#x}: damaged offload bundle: {}", offset, what)};
}

void append(std::string& out, std::uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

} // namespace

bool is_bundle(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string_view chip_of_entry(std::string_view id) {
    const std::size_t at = id.find("-gfx");
    if (at == std::string_view::npos) return {};
    id.remove_prefix(at + 1);
    return id.substr(0, id.find(':'));
}

Result<Bundle> read_bundle(std::string_view bytes) {
    llvm::DataExtractor data(llvm::StringRef(bytes.data(), bytes.size()), /*IsLittleEndian=*/true,
                             /*AddressSize=*/8);
    llvm::DataExtractor::Cursor at(kMagic.size());
    Bundle bundle;
    const std::uint64_t count = data.getU64(at);
    for (std::uint64_t i = 0; at && i < count; ++i) {
        const std::uint64_t start = at.tell();
        const std::uint64_t offset = data.getU64(at);
        const std::uint64_t size = data.getU64(at);
        const std::uint64_t id_size = data.getU64(at);
        const llvm::StringRef id = data.getBytes(at, id_size);
        if (!at) break;
        if (offset > bytes.size() || size > bytes.size() - offset)
            return damaged(start, fmt::format("entry {} is [{:#x}, +{:#x}) of a file of {:#x} bytes", i, offset, size,
                                              bytes.size()));
        bundle.entries.push_back({id.str(), offset, bytes.substr(offset, size)});
        bundle.size = std::max(bundle.size, offset + size);
    }
    bundle.table_size = at.tell();
    bundle.size = std::max(bundle.size, bundle.table_size);
    if (llvm::Error error = at.takeError()) return damaged(bundle.table_size, llvm::toString(std::move(error)));
    return bundle;
}

std::string table_bytes(const Bundle& bundle) {
    std::string out(kMagic);
    append(out, bundle.entries.size());
    for (const BundleEntry& entry : bundle.entries) {
        append(out, entry.offset);
        append(out, entry.bytes.size());
        append(out, entry.id.size());
        out += entry.id;
    }
    return out;
}

Result<std::vector<BundleEntry>> bundle_entries(std::string_view bytes, const std::string& where) {
    Result<Bundle> bundle = read_bundle(bytes);
    if (!bundle) return bundle.error().with(where);
    std::erase_if(bundle->entries,
                  [](const BundleEntry& entry) { return entry.bytes.empty() || chip_of_entry(entry.id).empty(); });
    return std::move(bundle->entries);
}

} // namespace pm
