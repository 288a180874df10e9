#include "peacemaker/object/source_line.h"

#include "peacemaker/object/debug_info.h"

#include <fmt/format.h>
#include <llvm/DebugInfo/DIContext.h>

#include <optional>

namespace pm {

std::vector<std::string> source_lines(const CodeObject& object, std::span<const std::uint64_t> addresses) {
    std::vector<std::string> lines(addresses.size());
    if (addresses.empty()) return lines;
    const DebugInfo info = read_debug_info(object);
    if (info.dwarf == nullptr) return lines;
    const llvm::DILineInfoSpecifier as_given(llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::optional<llvm::DILineInfo> line =
            info.dwarf->getLineInfoForAddress({addresses[i], llvm::object::SectionedAddress::UndefSection}, as_given);
        if (line && *line && line->Line != 0) lines[i] = fmt::format("{}:{}", line->FileName, line->Line);
    }
    return lines;
}

} // namespace pm
