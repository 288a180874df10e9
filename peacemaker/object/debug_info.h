// The debug information (DWARF) of a code object, as LLVM reads it. For the sources beside this header.
#pragma once

#include "peacemaker/object/code_object.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

#include <memory>

namespace pm {

struct DebugInfo {
    std::unique_ptr<llvm::object::ObjectFile> file;
    std::unique_ptr<llvm::DWARFContext> dwarf; // null where the file cannot be read
};

/// `object` must outlive what is returned. What a table does not tell, or tells wrongly, is no error of the code.
DebugInfo read_debug_info(const CodeObject& object);

} // namespace pm
