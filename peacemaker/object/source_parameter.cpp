#include "peacemaker/object/source_parameter.h"

#include "peacemaker/object/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFDie.h>

#include <optional>

namespace pm {
namespace {

constexpr int kMostTypes = 64; // of one chain; a damaged table may lead round in a circle

llvm::DWARFDie type_of(const llvm::DWARFDie& die) {
    const auto value = die.findRecursively(llvm::dwarf::DW_AT_type);
    return value ? die.getAttributeValueAsReferencedDie(*value) : llvm::DWARFDie();
}

NumberKind number_of(const llvm::DWARFDie& base) {
    switch (llvm::dwarf::toUnsigned(base.find(llvm::dwarf::DW_AT_encoding), 0)) {
    case llvm::dwarf::DW_ATE_float:
        return NumberKind::kFloat;
    case llvm::dwarf::DW_ATE_signed:
    case llvm::dwarf::DW_ATE_signed_char:
        return NumberKind::kSigned;
    case llvm::dwarf::DW_ATE_unsigned:
    case llvm::dwarf::DW_ATE_unsigned_char:
    case llvm::dwarf::DW_ATE_boolean:
        return NumberKind::kUnsigned;
    default:
        return NumberKind::kNone;
    }
}

SourceParameter parameter_of(const llvm::DWARFDie& die) {
    SourceParameter parameter;
    if (const char* name = die.getShortName()) parameter.name = name;
    llvm::DWARFDie type = type_of(die);
    for (int step = 0; type.isValid() && step < kMostTypes; ++step, type = type_of(type)) {
        switch (type.getTag()) {
        case llvm::dwarf::DW_TAG_const_type:
            // Before the pointer it is the parameter that is const, and that is nobody's business.
            parameter.constant = parameter.pointer;
            continue;
        case llvm::dwarf::DW_TAG_restrict_type:
        case llvm::dwarf::DW_TAG_volatile_type:
            continue;
        case llvm::dwarf::DW_TAG_typedef:
            if (parameter.type.empty())
                if (const char* name = type.getShortName()) parameter.type = name;
            continue;
        case llvm::dwarf::DW_TAG_pointer_type:
            if (parameter.pointer) return parameter; // to a pointer
            parameter.pointer = true;
            parameter.type.clear();
            continue;
        case llvm::dwarf::DW_TAG_base_type:
            parameter.number = number_of(type);
            break;
        default:
            break;
        }
        if (parameter.type.empty())
            if (const char* name = type.getShortName()) parameter.type = name;
        parameter.bytes =
            static_cast<std::uint32_t>(llvm::dwarf::toUnsigned(type.find(llvm::dwarf::DW_AT_byte_size), 0));
        return parameter;
    }
    return parameter;
}

/// The function that begins at `address`. Tables of addresses are not asked: units of linked libraries may have none.
llvm::DWARFDie function_at(llvm::DWARFContext& dwarf, std::uint64_t address) {
    for (const auto& unit : dwarf.compile_units())
        for (const llvm::DWARFDebugInfoEntry& entry : unit->dies()) {
            const llvm::DWARFDie die(unit.get(), &entry);
            if (die.getTag() == llvm::dwarf::DW_TAG_subprogram &&
                llvm::dwarf::toAddress(die.find(llvm::dwarf::DW_AT_low_pc)) == address)
                return die;
        }
    return {};
}

} // namespace

std::vector<SourceParameter> source_parameters(const CodeObject& object, const Kernel& kernel) {
    const DebugInfo info = read_debug_info(object);
    if (info.dwarf == nullptr) return {};
    const llvm::DWARFDie function = function_at(*info.dwarf, kernel.entry_address);
    if (!function.isValid()) return {};
    std::vector<SourceParameter> parameters;
    for (const llvm::DWARFDie& child : function.children())
        if (child.getTag() == llvm::dwarf::DW_TAG_formal_parameter) parameters.push_back(parameter_of(child));
    return parameters;
}

} // namespace pm
