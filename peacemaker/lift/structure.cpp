#include "peacemaker/lift/structure.h"

#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <map>

namespace pm::lift {
namespace {

const llvm::MCInstrDesc& description_of(const File& file, const Function& function, std::size_t index) {
    const Forms& forms = file.forms_of(function.wave);
    return forms.disassembler().description(forms[function.instructions[index].form].inst.getOpcode());
}

const isa::OpcodeName& opcode_of(const File& file, const Function& function, std::size_t index) {
    const Forms& forms = file.forms_of(function.wave);
    return forms.disassembler().opcode(forms[function.instructions[index].form].inst.getOpcode());
}

/// The counters of an operation before gfx12 and from it on, for those with a result and those without.
enum class Returns : std::uint8_t { kVector, kFlat, kLds, kScalar, kSample, kBvh, kExport, kNone };

/// Memory operations by how MC's name starts; the first row that fits counts.
struct MemoryRow {
    std::string_view start;
    AddressSpace space;
    std::optional<Access> access; // nothing: as the rest of the name says
    Returns returns;
};
constexpr MemoryRow kMemoryRows[] = {
    {"GLOBAL_INV", AddressSpace::kGlobal, Access::kOther, Returns::kVector},
    {"GLOBAL_WB", AddressSpace::kGlobal, Access::kStore, Returns::kVector},
    {"GLOBAL_", AddressSpace::kGlobal, std::nullopt, Returns::kVector},
    {"FLAT_", AddressSpace::kFlat, std::nullopt, Returns::kFlat},
    {"SCRATCH_", AddressSpace::kScratch, std::nullopt, Returns::kVector},
    {"BUFFER_GL", AddressSpace::kGlobal, Access::kOther, Returns::kNone},
    {"BUFFER_", AddressSpace::kBuffer, std::nullopt, Returns::kVector},
    {"TBUFFER_", AddressSpace::kBuffer, std::nullopt, Returns::kVector},
    {"IMAGE_BVH", AddressSpace::kImage, Access::kLoad, Returns::kBvh},
    {"IMAGE_SAMPLE", AddressSpace::kImage, Access::kLoad, Returns::kSample},
    {"IMAGE_GATHER", AddressSpace::kImage, Access::kLoad, Returns::kSample},
    {"IMAGE_GET_LOD", AddressSpace::kImage, Access::kLoad, Returns::kSample},
    {"IMAGE_MSAA_LOAD", AddressSpace::kImage, Access::kLoad, Returns::kSample},
    {"IMAGE_GET_", AddressSpace::kImage, Access::kLoad, Returns::kVector},
    {"IMAGE_", AddressSpace::kImage, std::nullopt, Returns::kVector},
    {"DS_DIRECT_LOAD", AddressSpace::kLds, Access::kLoad, Returns::kExport},
    {"DS_PARAM_LOAD", AddressSpace::kLds, Access::kLoad, Returns::kExport},
    {"LDS_DIRECT_LOAD", AddressSpace::kLds, Access::kLoad, Returns::kExport},
    {"LDS_PARAM_LOAD", AddressSpace::kLds, Access::kLoad, Returns::kExport},
    {"DS_NOP", AddressSpace::kLds, Access::kOther, Returns::kNone},
    {"DS_PERMUTE", AddressSpace::kLds, Access::kOther, Returns::kLds},
    {"DS_BPERMUTE", AddressSpace::kLds, Access::kOther, Returns::kLds},
    {"DS_SWIZZLE", AddressSpace::kLds, Access::kOther, Returns::kLds},
    {"DS_READ", AddressSpace::kLds, Access::kLoad, Returns::kLds},
    {"DS_LOAD", AddressSpace::kLds, Access::kLoad, Returns::kLds},
    {"DS_WRITE", AddressSpace::kLds, Access::kStore, Returns::kLds},
    {"DS_STORE", AddressSpace::kLds, Access::kStore, Returns::kLds},
    {"DS_", AddressSpace::kLds, Access::kAtomic, Returns::kLds},
    {"S_LOAD_", AddressSpace::kConstant, Access::kLoad, Returns::kScalar},
    {"S_BUFFER_LOAD", AddressSpace::kConstant, Access::kLoad, Returns::kScalar},
    {"S_PREFETCH", AddressSpace::kConstant, Access::kOther, Returns::kNone},
    {"S_BUFFER_PREFETCH", AddressSpace::kConstant, Access::kOther, Returns::kNone},
    {"S_DCACHE_INV", AddressSpace::kConstant, Access::kOther, Returns::kScalar},
    {"S_DCACHE", AddressSpace::kConstant, Access::kOther, Returns::kNone},
    {"S_GL1_INV", AddressSpace::kConstant, Access::kOther, Returns::kNone},
    {"S_ICACHE_INV", AddressSpace::kConstant, Access::kOther, Returns::kNone},
    {"S_MEMTIME", AddressSpace::kMessage, Access::kLoad, Returns::kScalar},
    {"S_MEMREALTIME", AddressSpace::kMessage, Access::kLoad, Returns::kScalar},
    {"S_SENDMSG", AddressSpace::kMessage, Access::kOther, Returns::kScalar},
    {"EXP", AddressSpace::kExport, Access::kStore, Returns::kExport},
};

const MemoryRow* row_of(std::string_view name) {
    const auto* const row = std::find_if(std::begin(kMemoryRows), std::end(kMemoryRows),
                                         [&](const MemoryRow& one) { return name.starts_with(one.start); });
    return row == std::end(kMemoryRows) ? nullptr : row;
}

/// What the rest of a vector memory operation's name says.
Access access_of(std::string_view name) {
    if (name.find("ATOMIC") != std::string_view::npos) return Access::kAtomic;
    if (name.find("LOAD") != std::string_view::npos) return Access::kLoad;
    if (name.find("STORE") != std::string_view::npos) return Access::kStore;
    return Access::kOther;
}

std::vector<std::string_view> counters_of(const Chip& chip, Returns returns, bool has_result) {
    const bool split = chip.counters.km != 0; // gfx12 has a counter for each kind
    const std::string_view load = split ? "loadcnt" : "vmcnt", store = split ? "storecnt" : "vscnt";
    const std::string_view vector = has_result ? load : store, lds = split ? "dscnt" : "lgkmcnt";
    switch (returns) {
    case Returns::kVector:
        return {vector};
    case Returns::kFlat:
        return {vector, lds};
    case Returns::kLds:
        return {lds};
    case Returns::kScalar:
        return {split ? "kmcnt" : "lgkmcnt"};
    case Returns::kSample:
        return {split ? "samplecnt" : load};
    case Returns::kBvh:
        return {split ? "bvhcnt" : load};
    case Returns::kExport:
        return {"expcnt"};
    case Returns::kNone:
        return {};
    }
    return {};
}

void mark(std::bitset<isa::kRegisterCount>& set, const isa::RegisterRef& reg) {
    for (std::size_t i = 0; i < reg.dwords; ++i)
        if (reg.first + i < set.size()) set.set(reg.first + i);
}

std::size_t above_highest(const std::bitset<isa::kRegisterCount>& a, const std::bitset<isa::kRegisterCount>& b,
                          std::size_t from, std::size_t to) {
    for (std::size_t i = to; i > from; --i)
        if (a[i - 1] || b[i - 1]) return i - from;
    return 0;
}

} // namespace

std::vector<Block> blocks_of(const File& file, const Function& function, std::span<const Instruction> listing) {
    if (listing.empty()) return {};
    std::map<std::int64_t, std::size_t> by_place;
    for (std::size_t i = 0; i < listing.size(); ++i) by_place[static_cast<std::int64_t>(listing[i].at)] = i;
    const auto ends = [&](std::size_t i) {
        const llvm::MCInstrDesc& description = description_of(file, function, i);
        return description.isTerminator() || description.isBranch() || description.isReturn();
    };
    std::vector<bool> leads(listing.size() + 1);
    leads[0] = true;
    for (std::size_t i = 0; i < listing.size(); ++i) {
        if (ends(i)) leads[i + 1] = true;
        if (listing[i].target)
            if (const auto to = by_place.find(*listing[i].target); to != by_place.end()) leads[to->second] = true;
    }
    std::vector<Block> blocks;
    std::vector<std::size_t> block_of(listing.size());
    for (std::size_t i = 0; i < listing.size(); ++i) {
        if (leads[i]) blocks.push_back({i, 0, {}, false});
        ++blocks.back().count;
        block_of[i] = blocks.size() - 1;
    }
    for (Block& block : blocks) {
        const std::size_t last = block.first + block.count - 1;
        const Instruction& end = listing[last];
        const llvm::MCInstrDesc& description = description_of(file, function, last);
        if (end.target) {
            const auto to = by_place.find(*end.target);
            if (to == by_place.end())
                block.edges.push_back({EdgeKind::kLeaves, 0, *end.target});
            else
                block.edges.push_back({EdgeKind::kBranch, block_of[to->second], *end.target});
        }
        // What ends a block and names a register goes where that says: MC marks only some of them as indirect.
        const llvm::MCInst& inst = file.forms_of(function.wave)[function.instructions[last].form].inst;
        block.indirect = ends(last) && std::any_of(inst.begin(), inst.end(),
                                                   [](const llvm::MCOperand& operand) { return operand.isReg(); });
        // Nothing goes past a barrier of control flow: s_branch, s_endpgm, s_setpc.
        if (description.isBarrier()) continue;
        const auto next = static_cast<std::int64_t>(end.at + end.size);
        if (last + 1 < listing.size())
            block.edges.push_back({EdgeKind::kNext, block_of[last + 1], next});
        else
            block.edges.push_back({EdgeKind::kLeaves, 0, next});
    }
    return blocks;
}

std::size_t RegisterUse::vgprs() const { return above_highest(read, written, 0, isa::kScalar); }
std::size_t RegisterUse::sgprs() const { return above_highest(read, written, isa::kScalar, isa::kVccLo); }

RegisterUse registers_of(const File& file, const Function& function) {
    RegisterUse use;
    const Forms& forms = file.forms_of(function.wave);
    const isa::Disassembler& disassembler = forms.disassembler();
    std::vector<std::uint32_t> met;
    for (const Placed& placed : function.instructions) met.push_back(placed.form);
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    for (const std::uint32_t form : met) {
        const llvm::MCInst& inst = forms[form].inst;
        const llvm::MCInstrDesc& description = disassembler.description(inst.getOpcode());
        for (unsigned i = 0; i < inst.getNumOperands(); ++i)
            if (inst.getOperand(i).isReg())
                mark(i < description.getNumDefs() ? use.written : use.read,
                     disassembler.register_ref(inst.getOperand(i).getReg().id()));
        // MC names EXEC and VCC as pairs; a wave of 32 has their low halves.
        const auto implicit = [&](llvm::MCPhysReg reg) {
            isa::RegisterRef ref = disassembler.register_ref(reg);
            if (function.wave == 32 && ref.dwords == 2) ref.dwords = 1;
            return ref;
        };
        for (const llvm::MCPhysReg reg : description.implicit_defs()) mark(use.written, implicit(reg));
        for (const llvm::MCPhysReg reg : description.implicit_uses()) mark(use.read, implicit(reg));
    }
    return use;
}

std::vector<MemoryOperation> memory_operations_of(const File& file, const Function& function) {
    std::vector<MemoryOperation> operations;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const isa::OpcodeName& name = opcode_of(file, function, i);
        const MemoryRow* const row = row_of(name.base);
        if (row == nullptr) continue;
        const Access access = row->access ? *row->access : access_of(name.base);
        const bool has_result = description_of(file, function, i).getNumDefs() != 0 || access == Access::kLoad ||
                                (row->access && *row->access == Access::kOther);
        operations.push_back({i, row->space, access, counters_of(*file.chip, row->returns, has_result)});
    }
    return operations;
}

std::vector<std::size_t> barriers_of(const File& file, const Function& function) {
    std::vector<std::size_t> barriers;
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
        if (opcode_of(file, function, i).base.starts_with("S_BARRIER")) barriers.push_back(i);
    return barriers;
}

std::string_view name_of(EdgeKind kind) {
    constexpr std::string_view kNames[] = {"next", "branch", "leaves"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(AddressSpace space) {
    constexpr std::string_view kNames[] = {"global", "flat",  "scratch", "lds",    "constant",
                                           "buffer", "image", "export",  "message"};
    return kNames[static_cast<std::size_t>(space)];
}

std::string_view name_of(Access access) {
    constexpr std::string_view kNames[] = {"load", "store", "atomic", "other"};
    return kNames[static_cast<std::size_t>(access)];
}

} // namespace pm::lift
