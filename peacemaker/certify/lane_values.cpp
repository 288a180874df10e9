#include "peacemaker/certify/lane_values.h"

#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/vector_execute.h"

#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace pm::certify {
namespace {

using emu::kLanes;

// Where kernel arguments and the dispatch packet lie: any two addresses that nothing else can have.
constexpr std::uint64_t kArguments = std::uint64_t{5} << 48, kPacket = std::uint64_t{6} << 48;
constexpr std::size_t kPacketBytes = 64, kPacketSizes = 4; // hsa_kernel_dispatch_packet_t: workgroup_size_x, _y, _z
// Registers that no instruction names: EXEC's new value, before it counts.
constexpr Register kBeside = isa::kMode + 1;

constexpr std::size_t index_of(Register r) { return r - isa::kScalar; }

bool is_fully_known(const PartlyKnown& word) { return word.unknown == 0; }

PartlyKnown joined(const PartlyKnown& a, const PartlyKnown& b) {
    const std::uint32_t unknown = a.unknown | b.unknown | (a.value ^ b.value);
    return {a.value & ~unknown, unknown};
}

/// Whether the result depends on no mode of the wave, and is the one that the ISA defines.
bool is_integer(const emu::Inst& inst) {
    return !inst.row->is_float && inst.row->exactness == emu::Exactness::kExact && !inst.clamp;
}

/// Whether no lane is active after an instruction that writes EXEC but those that were: V_CMPX, or EXEC and something.
bool narrows_exec(const emu::Inst& inst) {
    if (inst.mask_out == isa::kExecLo) return true;
    const auto is_exec = [&](std::size_t i) {
        return inst.sources[i].kind == emu::Source::Kind::kScalar && inst.sources[i].reg == isa::kExecLo;
    };
    if (inst.row->name == "S_AND_B32") return is_exec(0) || is_exec(1);
    return inst.row->name == "S_ANDN2_B32" && is_exec(0);
}

bool writes(const emu::Inst& inst, Register r) {
    bool found = false;
    emu::for_each_write(inst, [&](Register written, isa::Half) { found |= written == r; });
    return found;
}

} // namespace

bool covers(const LaneValues& a, const LaneValues& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if ((b[i].unknown & ~a[i].unknown) != 0 || ((a[i].value ^ b[i].value) & ~a[i].unknown) != 0) return false;
    return true;
}

LaneValues joined(const LaneValues& a, const LaneValues& b) {
    LaneValues out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = joined(a[i], b[i]);
    return out;
}

LaneRun::LaneRun(const Chip& chip, const Kernel& kernel, const Code& code, const emu::Program& program,
                 const Launched& launched)
    : chip_(chip), kernel_(kernel), code_(code), program_(program), launched_(launched),
      worker_(std::make_unique<emu::Worker>()), wave_(std::make_unique<emu::Wave>()) {
    worker_->chip = &chip_;
    worker_->program = &program_;
    wave_->worker = worker_.get();
    find_insts();
    find_kept();
    place_arguments();
    std::memset(wave_->state, emu::kUndefinedBits, sizeof wave_->state);
    std::memset(wave_->undefined_lanes, 0xff, sizeof wave_->undefined_lanes);
    std::memset(wave_->v_undefined, 0xff, sizeof wave_->v_undefined);
    std::memset(wave_->s_undefined, 0xff, sizeof wave_->s_undefined);
    set(isa::kNull, {0, 0});
    idle_.resize(isa::kScalar);
}

/// Hints are left out of the program.
void LaneRun::find_insts() {
    insts_.assign(code_.steps.size(), nullptr);
    std::unordered_map<std::int64_t, std::uint32_t> step_at;
    for (std::uint32_t step = 0; step < code_.steps.size(); ++step)
        step_at[static_cast<std::int64_t>(code_.steps[step].at)] = step;
    for (const emu::Inst& inst : program_.insts) {
        const auto found = step_at.find(inst.offset);
        // Of the two halves of a dual instruction, the first.
        if (found != step_at.end() && insts_[found->second] == nullptr) insts_[found->second] = &inst;
    }
}

/// What the analysis can work out itself: integer arithmetic, exactly.
bool LaneRun::is_executed(std::uint32_t step) const {
    const emu::Inst* const inst = insts_[step];
    if (inst == nullptr) return false;
    for (std::uint32_t part = 0; part < inst->parts; ++part) {
        const emu::Row* const row = inst[part].row;
        if (row == nullptr) return false;
        // Of a dual instruction, one half may be worked out though the other is not.
        if (inst->parts == 1 && !is_integer(*inst)) return false;
        const bool crosses =
            row->unit == emu::Unit::kControl && (row->name.starts_with("V_") || row->name.ends_with("EXEC_B32"));
        const bool argument = row->unit == emu::Unit::kScalarMemory && inst->memory.base_dwords == 2;
        if (row->unit != emu::Unit::kVector && row->unit != emu::Unit::kScalar && !crosses && !argument) return false;
        if (row->unit == emu::Unit::kVector && inst[part].compute == nullptr) return false;
    }
    return true;
}

/// The closure of what LDS addresses, branches and EXEC are computed from.
void LaneRun::find_kept() {
    is_kept_.assign(isa::kRegisterCount, false);
    const auto keep = [&](const std::vector<Span>& spans) {
        bool more = false;
        for (const Span& span : spans)
            for (unsigned i = 0; i < span.count && span.first + i < isa::kRegisterCount; ++i) {
                more = more || !is_kept_[span.first + i];
                is_kept_[span.first + i] = true;
            }
        return more;
    };
    is_kept_[isa::kExecLo] = true;
    std::vector<bool> executed(code_.steps.size());
    for (std::uint32_t step = 0; step < code_.steps.size(); ++step) {
        const Effects& effects = code_.steps[step].effects;
        executed[step] = is_executed(step);
        if (effects.flow == Flow::kConditional) (void)keep(effects.reads);
        if (!effects.touches_lds) continue;
        if (insts_[step] != nullptr && insts_[step]->memory.address != isa::kNull)
            is_kept_[insts_[step]->memory.address] = true;
    }
    const auto writes_kept = [&](const Effects& effects) {
        for (const std::vector<Span>* spans : {&effects.writes, &effects.late})
            for (const Span& span : *spans)
                for (unsigned i = 0; i < span.count && span.first + i < isa::kRegisterCount; ++i)
                    if (is_kept_[span.first + i]) return true;
        return false;
    };
    for (bool more = true; more;) {
        more = false;
        for (std::size_t step = code_.steps.size(); step-- > 0;) {
            const Effects& effects = code_.steps[step].effects;
            if (!executed[step] || !writes_kept(effects)) continue;
            // All that an executed instruction writes is kept: nothing may hold what another path left there.
            for (const std::vector<Span>* spans : {&effects.reads, &effects.writes, &effects.late})
                more = keep(*spans) || more;
        }
    }
    is_kept_[isa::kNull] = false;
    for (Register r = 0; r < isa::kRegisterCount; ++r) {
        if (!is_kept_[r]) continue;
        (isa::is_vector(r) ? vectors_ : scalars_).emplace_back(r, words_);
        words_ += isa::is_vector(r) ? 2 * kLanes : 1;
    }
    for (std::uint32_t step = 0; step < code_.steps.size(); ++step) {
        Plan plan;
        if (writes_kept(code_.steps[step].effects)) {
            plan.action = Action::kForget;
            if (executed[step]) plan = plan_of(step);
        }
        plans_.push_back(plan);
    }
}

LaneRun::Plan LaneRun::plan_of(std::uint32_t step) const {
    Plan plan;
    plan.inst = insts_[step];
    const emu::Row& row = *plan.inst->row;
    plan.action = row.unit == emu::Unit::kScalarMemory                                ? Action::kArgument
                  : row.unit == emu::Unit::kControl && row.name.ends_with("EXEC_B32") ? Action::kSaveExec
                                                                                      : Action::kRun;
    const bool dpp = plan.inst->encoding == isa::Encoding::kDpp16 || plan.inst->encoding == isa::Encoding::kDpp8;
    plan.lane_crossing = plan.inst->cross_lane || dpp || row.unit == emu::Unit::kControl;
    if (plan.action == Action::kRun && writes(*plan.inst, isa::kExecLo)) {
        plan.redirected = *plan.inst;
        if (plan.redirected->result == isa::kExecLo) plan.redirected->result = kBeside;
        if (plan.redirected->mask_out == isa::kExecLo) plan.redirected->mask_out = kBeside;
        plan.narrows_exec = narrows_exec(*plan.inst);
    }
    return plan;
}

void LaneRun::place_arguments() {
    arguments_.assign(std::max(kernel_.descriptor.kernarg_size, kernel_.resources.kernarg), std::nullopt);
    packet_.assign(kPacketBytes, std::nullopt);
    const auto put = [](std::vector<std::optional<std::uint8_t>>& bytes, std::size_t at, std::uint32_t value,
                        std::size_t size) {
        for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
            bytes[at + i] = i < 4 ? static_cast<std::uint8_t>(value >> (8 * i)) : std::uint8_t{0};
    };
    for (std::size_t axis = 0; axis < 3; ++axis) put(packet_, kPacketSizes + 2 * axis, launched_.block[axis], 2);
    for (const KernelArgument& argument : kernel_.arguments) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (argument.value_kind == std::string("hidden_group_size_") + "xyz"[axis])
                put(arguments_, argument.offset, launched_.block[axis], argument.size);
        if (argument.value_kind == "hidden_dynamic_lds_size" && launched_.dynamic_lds)
            put(arguments_, argument.offset, *launched_.dynamic_lds, argument.size);
    }
}

LaneValues LaneRun::at_entry(std::uint32_t wave) {
    LaneValues nothing(words_, PartlyKnown{0, ~0U});
    load(nothing);
    // User SGPRs in their fixed order: llvm/docs/AMDGPUUsage.rst, "Initial Kernel Execution State".
    namespace hsa = llvm::amdhsa;
    const std::uint32_t properties = kernel_.descriptor.kernel_code_properties;
    Register next = isa::kScalar;
    const auto skip = [&](std::uint32_t bit, unsigned count) {
        if ((properties & bit) != 0) next = static_cast<Register>(next + count);
    };
    const auto pointer = [&](std::uint32_t bit, std::uint64_t address) {
        if ((properties & bit) == 0) return;
        set(next++, {static_cast<std::uint32_t>(address), 0});
        set(next++, {static_cast<std::uint32_t>(address >> 32), 0});
    };
    skip(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, 4);
    pointer(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR, kPacket);
    skip(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR, 2);
    pointer(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, kArguments);

    const std::uint32_t ids = descriptor_field(kernel_.descriptor.compute_pgm_rsrc2, 11, 2);
    const auto& block = launched_.block;
    std::uint32_t exec = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t item = wave * kLanes + lane;
        if (item >= launched_.work_items()) break;
        exec |= 1U << lane;
        const std::uint32_t x = item % block[0], y = item / block[0] % block[1], z = item / block[0] / block[1];
        if (chip_.generation >= 11) {
            // Packed; what an id that is not asked for leaves is not stated where there is more than one of it.
            PartlyKnown word{x | y << 10 | z << 20, 0};
            if (ids < 1 && block[1] > 1) word.unknown |= 0x3ffU << 10;
            if (ids < 2 && block[2] > 1) word.unknown |= 0x3ffU << 20;
            word.value &= ~word.unknown;
            set_lane(0, lane, word);
        } else {
            const std::uint32_t id[] = {x, y, z};
            for (Register i = 0; i <= ids && i < 3; ++i) set_lane(i, lane, {id[i], 0});
        }
    }
    for (Register r = 0; r < 3; ++r) refresh(r);
    set(isa::kExecLo, {exec, 0});
    return store();
}

PartlyKnown LaneRun::scalar(Register r) const {
    const std::uint32_t unknown = emu::scalar_undefined(*wave_, r);
    return {wave_->scalar(r) & ~unknown, unknown};
}

void LaneRun::set(Register r, PartlyKnown value) {
    wave_->s[index_of(r)] = value.value;
    wave_->s_undefined[index_of(r)] = value.unknown;
    wave_->state[r] = value.unknown != 0 ? emu::kUndefinedBits : 0;
}

PartlyKnown LaneRun::lane(Register r, std::uint32_t lane) const {
    const std::uint32_t unknown = wave_->undefined_word(r, lane);
    return {wave_->v[r][lane] & ~unknown, unknown};
}

/// The register's flags are to be brought up to date by refresh().
void LaneRun::set_lane(Register r, std::uint32_t lane, PartlyKnown value) {
    wave_->v[r][lane] = value.value;
    wave_->v_undefined[r][lane] = value.unknown;
    const std::uint32_t bit = 1U << lane;
    wave_->undefined_lanes[r] = value.unknown != 0 ? wave_->undefined_lanes[r] | bit : wave_->undefined_lanes[r] & ~bit;
}

void LaneRun::refresh(Register r) { wave_->state[r] = wave_->undefined_lanes[r] != 0 ? emu::kUndefinedBits : 0; }

void LaneRun::load(const LaneValues& values) {
    for (const auto& [r, at] : scalars_) set(r, values[at]);
    for (const auto& [r, at] : vectors_) {
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            set_lane(r, i, values[at + i]);
            idle_[r][i] = values[at + kLanes + i];
        }
        refresh(r);
    }
}

LaneValues LaneRun::store() const {
    LaneValues out(words_);
    for (const auto& [r, at] : scalars_) out[at] = scalar(r);
    const std::uint32_t unsure = scalar(isa::kExecLo).unknown;
    for (const auto& [r, at] : vectors_)
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            out[at + i] = lane(r, i);
            out[at + kLanes + i] = (unsure >> i & 1U) != 0 ? idle_[r][i] : out[at + i];
        }
    return out;
}

/// EXEC changes to `now`. `narrows`: no lane becomes active.
void LaneRun::set_exec(PartlyKnown now, bool narrows) {
    const PartlyKnown was = scalar(isa::kExecLo);
    set(isa::kExecLo, now);
    if (was.unknown == 0 && now.unknown == 0) return;
    for (const auto& [r, at] : vectors_) {
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            const PartlyKnown active = lane(r, i);
            const PartlyKnown either = (was.unknown >> i & 1U) != 0 ? joined(active, idle_[r][i]) : active;
            const bool may_be_active = ((now.value | now.unknown) >> i & 1U) != 0;
            idle_[r][i] = either;
            set_lane(r, i, narrows && may_be_active ? active : either);
        }
        refresh(r);
    }
}

/// It turns out that EXEC is 0.
void LaneRun::take_all_inactive() {
    const std::uint32_t unsure = scalar(isa::kExecLo).unknown;
    for (const auto& [r, at] : vectors_) {
        for (std::uint32_t i = 0; i < kLanes; ++i)
            if ((unsure >> i & 1U) != 0) set_lane(r, i, idle_[r][i]);
        refresh(r);
    }
    set(isa::kExecLo, {0, 0});
}

void LaneRun::forget(Register r) {
    if (!is_kept_[r]) return;
    if (r == isa::kExecLo) {
        set_exec({0, ~0U}, false);
        return;
    }
    if (!isa::is_vector(r)) {
        set(r, {0, r == isa::kScc ? 1U : ~0U});
        return;
    }
    idle_[r].fill({0, ~0U});
    std::memset(wave_->v_undefined[r], 0xff, sizeof wave_->v_undefined[r]);
    wave_->undefined_lanes[r] = ~0U;
    refresh(r);
}

void LaneRun::forget(const Effects& effects) {
    for (const std::vector<Span>* spans : {&effects.writes, &effects.late})
        for (const Span& span : *spans)
            for (unsigned i = 0; i < span.count && span.first + i < isa::kRegisterCount; ++i)
                forget(static_cast<Register>(span.first + i));
}

/// On the wave as it stands, lanes being active by its own EXEC.
void LaneRun::execute(const emu::Inst& inst) {
    emu::ResultShadow shadows[2];
    for (std::uint32_t part = 0; part < inst.parts; ++part)
        if ((&inst)[part].row->unit != emu::Unit::kControl) emu::shadow_before(*wave_, (&inst)[part], shadows[part]);
    inst.handler(*wave_, inst);
    for (std::uint32_t part = 0; part < inst.parts; ++part)
        if ((&inst)[part].row->unit != emu::Unit::kControl) emu::shadow_after(*wave_, (&inst)[part], shadows[part]);
}

void LaneRun::run(std::uint32_t step) {
    const Plan& plan = plans_[step];
    switch (plan.action) {
    case Action::kSkip:
        return;
    case Action::kForget:
        forget(code_.steps[step].effects);
        return;
    case Action::kArgument:
        run_argument(step, plan);
        return;
    case Action::kSaveExec:
        run_save_exec(plan);
        return;
    case Action::kRun:
        break;
    }
    if (plan.inst->row->unit == emu::Unit::kScalar)
        run_scalar(step, plan);
    else
        run_vector(step, plan);
}

void LaneRun::run_scalar(std::uint32_t step, const Plan& plan) {
    execute(plan.redirected ? *plan.redirected : *plan.inst);
    if (plan.redirected) set_exec(scalar(kBeside), plan.narrows_exec);
    if (worker_->unsupported.empty()) return;
    worker_->unsupported.clear();
    forget(code_.steps[step].effects);
}

/// What every lane that may be active holds, and the first, which is read where none is.
std::optional<PartlyKnown> LaneRun::same_in_all_lanes(Register r) const {
    const PartlyKnown exec = scalar(isa::kExecLo);
    const std::uint32_t lanes = exec.value | exec.unknown | (exec.value == 0 ? 1U : 0U);
    std::optional<PartlyKnown> found;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        if ((lanes >> i & 1U) == 0) continue;
        const PartlyKnown word = lane(r, i);
        if (!is_fully_known(word) || (found && *found != word)) return std::nullopt;
        found = word;
    }
    if (exec.value == 0 && (exec.unknown & 1U) != 0 && idle_[r][0] != found) return std::nullopt;
    return found;
}

void LaneRun::run_vector(std::uint32_t step, const Plan& plan) {
    const PartlyKnown exec = scalar(isa::kExecLo);
    const emu::Inst& inst = plan.redirected ? *plan.redirected : *plan.inst;
    if (plan.lane_crossing && exec.unknown != 0) {
        const emu::Source& source = inst.sources[0];
        const bool scalar_result = inst.result != isa::kNull && !isa::is_vector(inst.result);
        const auto same = inst.row->unit == emu::Unit::kControl && scalar_result && inst.source_count == 1 &&
                                  source.kind == emu::Source::Kind::kVector
                              ? same_in_all_lanes(source.reg)
                              : std::nullopt;
        forget(code_.steps[step].effects);
        if (same) set(inst.result, *same);
        return;
    }
    // What an inactive lane holds stays.
    if (exec.unknown != 0) wave_->s[index_of(isa::kExecLo)] = exec.value | exec.unknown;
    execute(inst);
    set(isa::kExecLo, exec);
    for (std::uint32_t part = 0; part < inst.parts; ++part)
        if (!is_integer((&inst)[part])) emu::for_each_write((&inst)[part], [&](Register r, isa::Half) { forget(r); });
    // A lane number that is not known picks any lane; and what the device does not execute may do anything.
    if (!worker_->findings.empty() || !worker_->unsupported.empty()) {
        worker_->findings.clear();
        worker_->unsupported.clear();
        forget(code_.steps[step].effects);
        set(kBeside, {0, ~0U});
    }
    if (exec.unknown != 0) {
        for (std::uint32_t part = 0; part < inst.parts; ++part) {
            const Register mask = (&inst)[part].mask_out;
            if (mask == isa::kNull) continue;
            const PartlyKnown active = scalar(mask),
                              inactive{active.value & ~exec.unknown, active.unknown & ~exec.unknown};
            set(mask, joined(active, inactive));
        }
    }
    if (plan.redirected) set_exec(scalar(kBeside), plan.narrows_exec);
}

/// s = EXEC, EXEC = op(source, EXEC), bit by bit: a bit of the result is known where no choice of unknown bits changes
/// it.
void LaneRun::run_save_exec(const Plan& plan) {
    const emu::Inst& inst = *plan.inst;
    const emu::Source& source = inst.sources[0];
    const bool from_register = source.kind == emu::Source::Kind::kScalar;
    const PartlyKnown exec = scalar(isa::kExecLo), given = from_register ? scalar(source.reg) : PartlyKnown{};
    const auto result = [&](std::uint32_t s, std::uint32_t e) {
        if (from_register) set(source.reg, {s, 0});
        set(isa::kExecLo, {e, 0});
        inst.handler(*wave_, inst);
        return wave_->exec();
    };
    const std::uint32_t s0 = given.value, s1 = given.value | given.unknown;
    const std::uint32_t e0 = exec.value, e1 = exec.value | exec.unknown;
    const bool is_exec = from_register && source.reg == isa::kExecLo;
    const std::uint32_t low = result(s0, e0), high = is_exec ? result(e1, e1) : result(s1, e1);
    std::uint32_t unknown = low ^ high;
    if (!is_exec) unknown |= (low ^ result(s0, e1)) | (low ^ result(s1, e0));
    const PartlyKnown now{low & ~unknown, unknown};
    const bool narrows = !is_exec && (result(0, 0) | result(~0U, 0)) == 0;
    const bool result_too = inst.row->name.ends_with("WREXEC_B32");
    if (from_register) set(source.reg, given);
    set(inst.result, result_too ? now : exec);
    set(isa::kExecLo, exec);
    set_exec(now, narrows);
    set(isa::kScc, now.value != 0 ? PartlyKnown{1, 0} : PartlyKnown{0, now.unknown != 0 ? 1U : 0U});
    set(isa::kNull, {0, 0});
    worker_->findings.clear();
}

void LaneRun::run_argument(std::uint32_t step, const Plan& plan) {
    const emu::MemoryOperands& memory = plan.inst->memory;
    const PartlyKnown low = scalar(memory.base), high = scalar(static_cast<Register>(memory.base + 1));
    forget(code_.steps[step].effects);
    if (!is_fully_known(low) || !is_fully_known(high) || memory.offset_dwords != 0) return;
    const std::uint64_t address =
        (low.value | static_cast<std::uint64_t>(high.value) << 32) + static_cast<std::uint64_t>(memory.offset);
    const bool in_arguments = address >= kArguments && address < kPacket;
    const std::vector<std::optional<std::uint8_t>>& bytes = in_arguments ? arguments_ : packet_;
    const std::uint64_t first = address - (in_arguments ? kArguments : kPacket);
    const std::uint32_t size = plan.inst->row->bytes;
    for (std::uint32_t word = 0; 4 * word < size; ++word) {
        PartlyKnown value;
        for (std::uint32_t i = 0; i < 4 && 4 * word + i < size; ++i) {
            const std::uint64_t at = first + 4 * word + i;
            const std::optional<std::uint8_t> byte = at < bytes.size() ? bytes[at] : std::nullopt;
            value.value |= static_cast<std::uint32_t>(byte.value_or(0)) << (8 * i);
            value.unknown |= byte ? 0U : 0xffU << (8 * i);
        }
        // Of less than a word, the top byte says what is above it.
        if (size < 4 && plan.inst->row->extend == emu::Extend::kSign) value = {0, ~0U};
        const auto r = static_cast<Register>(memory.data + word);
        if (is_kept_[r]) set(r, value);
    }
}

/// The register that a branch looks at, whether it is zero, and which way it then goes; nothing where the device does
/// not know the branch.
std::optional<LaneRun::Condition> LaneRun::condition(std::uint32_t step) const {
    const std::vector<Span>& reads = code_.steps[step].effects.reads;
    if (insts_[step] == nullptr || reads.size() != 1 || isa::is_vector(reads[0].first)) return std::nullopt;
    const emu::Inst& inst = *insts_[step];
    if (inst.row == nullptr || inst.row->unit != emu::Unit::kControl) return std::nullopt;
    const Register r = reads[0].first;
    const PartlyKnown before = scalar(r);
    const auto goes = [&](std::uint32_t value) {
        wave_->s[index_of(r)] = value;
        wave_->state[r] = 0;
        wave_->next = emu::Program::kNoInst;
        inst.handler(*wave_, inst);
        return wave_->next != emu::Program::kNoInst;
    };
    Condition out{r, goes(0)};
    const bool both_alike = goes(1) == out.taken_at_zero;
    wave_->s[index_of(r)] = before.value;
    wave_->s_undefined[index_of(r)] = before.unknown;
    wave_->state[r] = before.unknown != 0 ? emu::kUndefinedBits : 0;
    if (both_alike) return std::nullopt;
    return out;
}

Ways LaneRun::ways(std::uint32_t step) const {
    const auto found = condition(step);
    if (!found) return {true, true};
    const PartlyKnown word = scalar(found->r);
    const bool may_be_zero = word.value == 0, may_be_set = word.value != 0 || word.unknown != 0;
    return {found->taken_at_zero ? may_be_zero : may_be_set, found->taken_at_zero ? may_be_set : may_be_zero};
}

void LaneRun::assume(std::uint32_t step, bool taken) {
    const auto found = condition(step);
    if (!found) return;
    if (taken == found->taken_at_zero && found->r == isa::kExecLo)
        take_all_inactive();
    else if (taken == found->taken_at_zero)
        set(found->r, {0, 0});
    else if (found->r == isa::kScc)
        set(found->r, {1, 0});
}

LdsAccess LaneRun::access(std::uint32_t step) const {
    LdsAccess out;
    const Effects& effects = code_.steps[step].effects;
    out.writes = effects.writes_lds;
    out.reads = !effects.writes_lds || !effects.late.empty();
    if (insts_[step] == nullptr) return out;
    const emu::Inst& inst = *insts_[step];
    const emu::MemoryOperands& memory = inst.memory;
    if (inst.row == nullptr || inst.row->unit != emu::Unit::kLds || memory.address == isa::kNull ||
        !isa::is_vector(memory.address))
        return out;
    const emu::LdsForm form = inst.row->lds_form;
    const bool two = form == emu::LdsForm::kLoad2 || form == emu::LdsForm::kStore2 || form == emu::LdsForm::kExchange2;
    out.atomic = inst.row->atomic != nullptr || form == emu::LdsForm::kExchange2;
    out.returns = out.atomic && !effects.late.empty();
    out.bytes = inst.row->bytes / (two ? 2U : 1U);
    // The offsets of a pair count elements, in the stride forms 64 of them.
    const std::uint32_t unit = !two ? 1 : out.bytes * (inst.row->name.find("ST64") != std::string_view::npos ? 64 : 1);
    out.offsets.push_back(static_cast<std::uint32_t>(memory.offset) * unit);
    if (two) out.offsets.push_back(static_cast<std::uint32_t>(memory.second_offset) * unit);
    const PartlyKnown exec = scalar(isa::kExecLo);
    for (std::uint32_t i = 0; i < kLanes; ++i)
        if (((exec.value | exec.unknown) >> i & 1U) != 0)
            out.lanes.push_back({i, (exec.value >> i & 1U) != 0, lane(memory.address, i)});
    out.known = true;
    return out;
}

} // namespace pm::certify
