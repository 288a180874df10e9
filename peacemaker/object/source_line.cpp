#include "peacemaker/object/source_line.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <optional>

namespace pm {

std::vector<std::string> source_lines(const CodeObject& object, std::span<const std::uint64_t> addresses) {
    std::vector<std::string> lines(addresses.size());
    if (addresses.empty()) return lines;
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object.bytes, ""));
    if (!file) {
        llvm::consumeError(file.takeError());
        return lines;
    }
    // What a table does not tell is no error of the code, and LLVM would print it.
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    // A linked object's addresses are final.
    const auto dwarf = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr,
                                                  "", ignore, ignore);
    const llvm::DILineInfoSpecifier as_given(llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::optional<llvm::DILineInfo> info =
            dwarf->getLineInfoForAddress({addresses[i], llvm::object::SectionedAddress::UndefSection}, as_given);
        if (info && *info && info->Line != 0) lines[i] = fmt::format("{}:{}", info->FileName, info->Line);
    }
    return lines;
}

} // namespace pm
