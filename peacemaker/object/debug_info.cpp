#include "peacemaker/object/debug_info.h"

#include <llvm/Support/MemoryBufferRef.h>

namespace pm {

DebugInfo read_debug_info(const CodeObject& object) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object.bytes, ""));
    if (!file) {
        llvm::consumeError(file.takeError());
        return {};
    }
    // LLVM would print it.
    const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    // A linked object's addresses are final.
    auto dwarf = llvm::DWARFContext::create(**file, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
                                            ignore, ignore);
    return {std::move(*file), std::move(dwarf)};
}

} // namespace pm
