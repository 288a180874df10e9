// Counters and return order: RDNA ISA documents, "Data dependency resolution";
// llvm/lib/Target/AMDGPU/SIInsertWaitcnts.cpp.
#include "peacemaker/certify/effects.h"

#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>

namespace pm::certify {
namespace {

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> heads) {
    return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return name.starts_with(head); });
}

bool contains(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

/// Cache operations of the vector memory path: they have no data. Only gfx12's GLOBAL_INV is counted as a load.
bool is_cache_operation(std::string_view name) {
    return starts_with_any(name, {"BUFFER_GL", "BUFFER_INV", "BUFFER_WB", "GLOBAL_INV", "GLOBAL_WB"});
}

/// LDS-path instructions that move data between lanes and touch no LDS.
bool is_lane_exchange(std::string_view name) {
    return starts_with_any(name, {"DS_PERMUTE", "DS_BPERMUTE", "DS_SWIZZLE"});
}

void add_span(std::vector<Span>& spans, const isa::RegisterRef& ref) {
    if (ref.dwords != 0 && ref.first != isa::kNull) spans.push_back({ref.first, ref.dwords, ref.half});
}

/// A lane mask that an instruction uses without naming it: in wave32 the low half of the pair. One that it names is a
/// pair like any other.
void add_implicit(std::vector<Span>& spans, isa::RegisterRef ref) {
    if ((ref.first == isa::kVccLo || ref.first == isa::kExecLo) && ref.dwords == 2) ref.dwords = 1;
    add_span(spans, ref);
}

struct Builder {
    const Chip& chip;
    const isa::Disassembler& disassembler;
    const llvm::MCInst& inst;
    const llvm::MCInstrDesc& description;
    std::string_view name;
    Effects out;

    void add_registers() {
        std::vector<Span> results;
        for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
            const llvm::MCOperand& operand = inst.getOperand(i);
            if (!operand.isReg()) continue;
            const isa::RegisterRef ref = disassembler.register_ref(operand.getReg().id());
            if (ref.dwords == 0) {
                // Number 0 is an operand that is left out.
                if (operand.getReg().id() != 0) out.unknown = "a register that is not modelled";
                continue;
            }
            if (i < description.getNumDefs())
                add_span(results, ref);
            else if (!is_old_value(i))
                add_span(out.reads, ref);
        }
        for (const llvm::MCPhysReg reg : description.implicit_uses())
            add_implicit(out.reads, disassembler.register_ref(reg));
        for (const llvm::MCPhysReg reg : description.implicit_defs())
            add_implicit(out.writes, disassembler.register_ref(reg));
        if (out.issues.empty())
            out.writes.insert(out.writes.end(), results.begin(), results.end());
        else
            out.late = std::move(results);
        // Formats of several components fill whole registers, all but the last.
        if (contains(name, "D16"))
            for (Span& span : out.late)
                if (span.half == Half::kWhole && span.count == 1)
                    span.half = contains(name, "D16_HI") ? Half::kHigh : Half::kLow;
    }

    /// The tied source of a load that keeps a half: it is the destination, and no data.
    bool is_old_value(unsigned operand) const {
        return !out.issues.empty() && operand < description.getNumOperands() &&
               description.getOperandConstraint(operand, llvm::MCOI::TIED_TO) >= 0 && contains(name, "D16");
    }

    void add_memory() {
        if (starts_with_any(name, {"IMAGE_", "EXP", "LDS_", "DS_GWS", "DS_ORDERED"}) || contains(name, "INTERP")) {
            out.unknown = "not an operation of compute kernels that is modelled";
            return;
        }
        if (contains(name, "MOVREL") || contains(name, "SWAPREL") || name.ends_with("_BLOCK"))
            out.unknown = "registers that M0 chooses";
        constexpr std::uint32_t kIdBits = 63, kMemoryBases = 15; // HW_REG_SH_MEM_BASES
        out.reads_apertures = name == "S_GETREG_B32" && (immediate() & kIdBits) == kMemoryBases;
        if (name == "S_ALLOC_VGPR") out.unknown = "a number of VGPRs that changes";
        constexpr std::uint32_t kDeallocVgprs = 3;
        out.gives_back_vgprs = name == "S_SENDMSG" && (immediate() & 0xffU) == kDeallocVgprs;
        const bool has_results = description.getNumDefs() != 0;
        if (name.starts_with("DS_") && name != "DS_NOP") {
            out.issues = {ReturnClass::kLdsOp};
            out.touches_lds = !is_lane_exchange(name);
            out.writes_lds = out.touches_lds && description.mayStore();
        } else if (starts_with_any(name, {"S_LOAD", "S_BUFFER_LOAD", "S_SCRATCH_LOAD", "S_MEMTIME", "S_MEMREALTIME",
                                          "S_SENDMSG_RTN", "S_GET_BARRIER_STATE", "S_ATOMIC", "S_BUFFER_ATOMIC"})) {
            if (has_results) out.issues = {ReturnClass::kScalarLoad};
        } else if (starts_with_any(name, {"GLOBAL_", "BUFFER_", "TBUFFER_", "SCRATCH_", "FLAT_"})) {
            if (is_cache_operation(name)) {
                if (name == "GLOBAL_INV") out.issues = {ReturnClass::kVectorLoad};
                return;
            }
            if (contains(name, "_LDS")) out.unknown = "a load from memory into LDS";
            const bool flat = name.starts_with("FLAT_");
            // A store, and an atomic without return, is counted by the store counter, which guards no register.
            if (has_results) out.issues = {ReturnClass::kVectorLoad};
            if (flat) out.issues.push_back(ReturnClass::kLdsOp);
            out.flat = out.touches_lds = flat;
            out.writes_lds = flat && description.mayStore();
            out.uses_scratch = name.starts_with("SCRATCH_");
        }
    }

    std::uint32_t immediate() const {
        for (unsigned i = 0; i < inst.getNumOperands(); ++i)
            if (inst.getOperand(i).isImm()) return static_cast<std::uint32_t>(inst.getOperand(i).getImm());
        return 0;
    }

    void add_waits() {
        const std::uint32_t field = immediate();
        const auto add = [&](Counter counter, std::uint32_t most) { out.waits.push_back({counter, most}); };
        if (name == "S_WAITCNT") {
            const isa::LoadAndLgkm most = isa::waitcnt_field(chip, field);
            add(Counter::kLoad, most.load);
            add(Counter::kLgkm, most.lgkm);
        } else if (name == "S_WAITCNT_VMCNT" || name == "S_WAIT_LOADCNT") {
            if (waits_for_null()) add(Counter::kLoad, field & 63U);
        } else if (name == "S_WAITCNT_LGKMCNT" || name == "S_WAIT_DSCNT") {
            if (waits_for_null()) add(Counter::kLgkm, field & 63U);
        } else if (name == "S_WAIT_KMCNT") {
            add(Counter::kKm, field & 31U);
        } else if (name == "S_WAIT_LOADCNT_DSCNT") {
            const isa::LoadAndLgkm most = isa::loadcnt_dscnt_field(field);
            add(Counter::kLgkm, most.lgkm);
            add(Counter::kLoad, most.load);
        } else if (name == "S_WAIT_STORECNT_DSCNT") {
            add(Counter::kLgkm, field & 63U);
        } else if (name == "S_WAIT_IDLE") {
            for (const Counter counter : {Counter::kLoad, Counter::kLgkm, Counter::kKm}) add(counter, 0);
        }
    }

    /// The SOPK forms add a scalar register to the count; only with null is it known.
    bool waits_for_null() const {
        for (unsigned i = 0; i < inst.getNumOperands(); ++i)
            if (inst.getOperand(i).isReg() &&
                disassembler.register_ref(inst.getOperand(i).getReg().id()).first != isa::kNull)
                return false;
        return true;
    }

    void add_flow() {
        if (name.starts_with("S_ENDPGM"))
            out.flow = Flow::kEnd;
        else if (name == "S_BRANCH")
            out.flow = Flow::kBranch;
        else if (name.starts_with("S_CBRANCH_") && !contains(name, "FORK") && !contains(name, "JOIN") &&
                 !contains(name, "CDBG"))
            out.flow = Flow::kConditional;
        else if (starts_with_any(name,
                                 {"S_SETPC", "S_SWAPPC", "S_CALL", "S_RFE", "S_CBRANCH", "S_TRAP", "S_SUBVECTOR"}) ||
                 description.isIndirectBranch() || description.isBranch() || description.isCall() ||
                 description.isReturn()) {
            out.flow = Flow::kUnknown;
            out.unknown = "a jump whose target is not known here";
        }
    }

    void add_barrier() {
        if (name == "S_BARRIER")
            out.barrier = BarrierRole::kSignalAndWait;
        else if (name == "S_BARRIER_WAIT")
            out.barrier = BarrierRole::kWait;
        else if (name.starts_with("S_BARRIER_SIGNAL")) {
            out.barrier = BarrierRole::kSignal;
            if (contains(name, "ISFIRST")) out.unknown = "SCC that a barrier gives later";
        } else if (starts_with_any(name, {"S_BARRIER_INIT", "S_BARRIER_JOIN", "S_BARRIER_LEAVE", "S_WAKEUP_BARRIER"}))
            out.unknown = "a named barrier";
        // -1 is the workgroup's own barrier.
        if ((out.barrier == BarrierRole::kWait || out.barrier == BarrierRole::kSignal) &&
            static_cast<std::int16_t>(immediate()) != -1)
            out.unknown = "a named barrier";
    }
};

bool overlap(const Span& a, const Span& b) {
    if (a.first + a.count <= b.first || b.first + b.count <= a.first) return false;
    return a.half == Half::kWhole || b.half == Half::kWhole || a.half == b.half;
}

} // namespace

std::optional<Span> clash(const std::vector<Span>& a, const std::vector<Span>& b) {
    for (const Span& one : a)
        for (const Span& other : b)
            if (overlap(one, other)) {
                const Register first = std::max(one.first, other.first);
                const auto end = std::min(one.first + one.count, other.first + other.count);
                return Span{first, static_cast<std::uint8_t>(end - first), one.half};
            }
    return std::nullopt;
}

Effects effects_of(const Chip& chip, const isa::Disassembler& disassembler, const llvm::MCInst& inst) {
    const isa::OpcodeName& opcode = disassembler.opcode(inst.getOpcode());
    Builder builder{chip, disassembler, inst, disassembler.description(inst.getOpcode()), opcode.base, {}};
    builder.out.units = isa::units_of(disassembler, inst.getOpcode());
    builder.add_memory();
    builder.add_registers();
    builder.add_waits();
    builder.add_flow();
    builder.add_barrier();
    // What these give is a wave's own: hardware registers, clocks, messages, who came first.
    builder.out.is_scalar =
        opcode.base.starts_with("S_") &&
        !starts_with_any(opcode.base, {"S_GETREG", "S_MEMTIME", "S_MEMREALTIME", "S_SENDMSG_RTN", "S_GET_BARRIER_STATE",
                                       "S_BARRIER_SIGNAL_ISFIRST", "S_ATOMIC", "S_BUFFER_ATOMIC", "S_GET_WAVEID"});
    return std::move(builder.out);
}

} // namespace pm::certify
