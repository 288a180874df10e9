#include "peacemaker/emu/execute.h"

#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/vector_execute.h"
#include "peacemaker/emu/waits.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace pm::emu {
namespace {

void check_operands(Wave& wave, const Inst& inst) {
    const std::uint32_t lanes = inst.cross_lane ? ~0u : wave.exec();
    for_each_read(inst, [&](Register r, isa::Half half) { check_register(wave, r, lanes, half, false); });
    for_each_write(inst, [&](Register r, isa::Half half) { check_register(wave, r, wave.exec(), half, true); });
    if (inst.row == nullptr) return;
    if (inst.row->scc_in) check_register(wave, isa::kScc, 1, isa::Half::kWhole, false);
    if (inst.row->scc_out) check_register(wave, isa::kScc, 1, isa::Half::kWhole, true);
}

bool has_shadow_rule(const Inst& inst) {
    return inst.row != nullptr && (inst.row->unit == Unit::kVector || inst.row->unit == Unit::kScalar);
}

// A bit beside those of RegisterState: the instruction takes the checked path whatever its registers are like.
constexpr unsigned kCheckAlways = 8;

// Whether what `inst` reads is defined where it counts.
bool reads_defined(const Wave& wave, const Inst& inst) {
    const std::uint32_t lanes = inst.cross_lane ? ~0u : wave.exec();
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < inst.touch_reads; ++i) {
        const Register r = inst.touch[i];
        found |= isa::is_vector(r) ? wave.undefined_lanes[r] & lanes : wave.state[r] & kUndefinedBits;
    }
    return found == 0;
}

// Of what the checked path does this remains where nothing is in flight or outside and some registers hold undefined
// bits, none of which is read: those of inactive lanes, or of what is written for the first time. False: nothing done.
bool step_defined(Wave& wave, const Inst& inst) {
    std::uint32_t written[2] = {};
    for (std::uint32_t part = 0; part < inst.parts; ++part) {
        const Inst& one = (&inst)[part];
        if (!has_shadow_rule(one)) continue;
        if (one.result_select != isa::SdwaSelect::kDword || !reads_defined(wave, one)) return false;
        if (one.row->unit == Unit::kVector) written[part] = written_lanes(wave, one);
    }
    inst.handler(wave, inst);
    for (std::uint32_t part = 0; part < inst.parts; ++part) {
        const Inst& one = (&inst)[part];
        if (has_shadow_rule(one)) set_results_defined(wave, one, written[part]);
    }
    return true;
}

// The same instruction with a look at every register it touches; both parts of a dual one read before either writes.
void step_checked(Wave& wave, const Inst& inst) {
    ResultShadow shadows[2];
    for (std::uint32_t part = 0; part < inst.parts; ++part) {
        const Inst& one = (&inst)[part];
        check_operands(wave, one);
        if (has_shadow_rule(one)) shadow_before(wave, one, shadows[part]);
    }
    inst.handler(wave, inst);
    for (std::uint32_t part = 0; part < inst.parts; ++part) {
        const Inst& one = (&inst)[part];
        if (has_shadow_rule(one)) shadow_after(wave, one, shadows[part]);
    }
}

// In the loop itself, for it is the whole of most instructions' overhead.
[[gnu::always_inline]] inline void step(Wave& wave, const Inst& inst) {
    static_assert(kFewTouched == 4);
    unsigned state = wave.state[inst.touch[0]] | wave.state[inst.touch[1]] | wave.state[inst.touch[2]] |
                     wave.state[inst.touch[3]] | (inst.check_always ? kCheckAlways : 0u);
    for (std::uint32_t i = kFewTouched; i < inst.touch_count; ++i) state |= wave.state[inst.touch[i]];
    if (state == 0) [[likely]]
        inst.handler(wave, inst);
    else if (state != kUndefinedBits || !step_defined(wave, inst))
        step_checked(wave, inst);
}

// --- the halves of a wave64 ---------------------------------------------------------------------------------------

void swap_exec(std::uint32_t* scalars) {
    std::swap(scalars[isa::kExecLo - isa::kScalar], scalars[isa::kExecLo + 1 - isa::kScalar]);
}

// Gives the upper half what its instruction may read, as it is before the lower half writes.
void lend(const Wave& wave, Wave& upper) {
    std::memcpy(upper.s, wave.s, sizeof wave.s);
    std::memcpy(upper.s_undefined, wave.s_undefined, sizeof wave.s_undefined);
    std::memcpy(upper.state + isa::kScalar, wave.state + isa::kScalar, sizeof wave.state - isa::kScalar);
    swap_exec(upper.s);
    upper.pc = wave.pc;
    upper.next = wave.next;
    upper.instructions = wave.instructions;
    upper.barriers_signalled = wave.barriers_signalled;
    upper.barriers_waited = wave.barriers_waited;
    upper.status = WaveStatus::kRunning;
}

// Takes the upper half of a lane mask that the instruction has written.
void take_back(Wave& wave, const Wave& upper, const Inst& inst) {
    if (upper.status == WaveStatus::kStopped) wave.status = WaveStatus::kStopped;
    if (inst.mask_out == isa::kNull) return;
    const Register from = inst.mask_out, to = from == isa::kExecLo ? isa::kExecLo + 1 : from;
    wave.s[to - isa::kScalar] = upper.s[from - isa::kScalar];
    wave.s_undefined[to - isa::kScalar] = upper.s_undefined[from - isa::kScalar];
    wave.state[to] = upper.state[from];
}

// The vector registers of the upper half that an instruction on both reads or writes.
void check_upper_vectors(Wave& upper, const Inst& inst) {
    const std::uint32_t lanes = inst.cross_lane ? ~0u : upper.exec();
    for_each_read(inst, [&](Register r, isa::Half half) {
        if (isa::is_vector(r)) check_register(upper, r, lanes, half, false);
    });
    for_each_write(inst, [&](Register r, isa::Half half) {
        if (isa::is_vector(r)) check_register(upper, r, upper.exec(), half, true);
    });
}

void step_wave64(Wave& wave, const Inst& inst) {
    if (inst.pass == Pass::kOnce) {
        step(wave, inst);
        return;
    }
    Wave& upper = *wave.upper;
    lend(wave, upper);
    wave.issued = 0;
    if (inst.pass == Pass::kBothHalves) {
        check_upper_vectors(upper, inst);
        step(wave, inst);
        return;
    }
    step(wave, inst);
    if (wave.status != WaveStatus::kRunning) return;
    const Inst& above = wave.worker->program->upper[wave.pc];
    step(upper, above);
    take_back(wave, upper, above);
}

// The loop of a wave32 or a wave64.
template <bool Wide>
void run_wave(Wave& wave) {
    using Mask = std::conditional_t<Wide, std::uint64_t, std::uint32_t>;
    Worker& worker = *wave.worker;
    const Inst* const insts = worker.program->insts.data();
    std::uint64_t* const executed = worker.executed.data();
    std::uint64_t lane_operations = 0;
    Mask counted_exec = 0;
    std::uint32_t active = 0;
    // Kept here rather than in the wave: the next instruction is known before this one has stored anything.
    std::uint32_t pc = wave.pc;
    while (wave.status == WaveStatus::kRunning) {
        const Inst& inst = insts[pc];
        const std::uint32_t after = pc + inst.parts;
        wave.pc = pc;
        wave.next = after;
        if constexpr (Wide)
            step_wave64(wave, inst);
        else
            step(wave, inst);
        ++executed[pc];
        if (inst.vector) {
            Mask exec = 0;
            if constexpr (Wide)
                exec = wave.whole_exec();
            else
                exec = wave.exec();
            if (exec != counted_exec) {
                counted_exec = exec;
                active = static_cast<std::uint32_t>(std::popcount(counted_exec));
            }
            lane_operations += active * inst.parts;
        }
        pc = after;
        if (inst.may_jump) [[unlikely]]
            pc = wave.next;
        if (++wave.instructions > worker.max_instructions) [[unlikely]] {
            wave.pc = pc;
            stop_unsupported(wave, fmt::format("more than {} instructions in one wave", worker.max_instructions));
        }
    }
    wave.pc = pc;
    worker.lane_operations += lane_operations;
}

} // namespace

void run(Wave& wave) {
    if (wave.upper != nullptr)
        run_wave<true>(wave);
    else
        run_wave<false>(wave);
}

void report(Wave& wave, FindingKind kind, std::uint32_t lane, std::uint64_t address, const std::string& detail) {
    Worker& worker = *wave.worker;
    const auto [slot, added] = worker.findings.try_emplace({wave.pc, kind});
    Finding& f = slot->second.finding;
    if (!added) {
        ++f.count;
        return;
    }
    slot->second.workgroup = wave.workgroup_number;
    f.kind = kind;
    f.kernel = worker.kernel;
    f.instruction = worker.program->texts[wave.pc];
    f.offset = worker.program->insts[wave.pc].offset;
    f.workgroup = wave.workgroup;
    f.wave = wave.index;
    f.lane = wave.first_lane + lane;
    f.address = address;
    f.detail = detail;
}

void stop_unsupported(Wave& wave, const std::string& what) {
    wave.status = WaveStatus::kStopped;
    wave.worker->unsupported.push_back(
        fmt::format("{} at {}{:+#x}", what, wave.worker->kernel, wave.worker->program->insts[wave.pc].offset));
}

std::string register_name(Register r) {
    if (isa::is_vector(r)) return fmt::format("v{}", r);
    if (r < isa::kVccLo) return fmt::format("s{}", r - isa::kScalar);
    if (r == isa::kVccLo) return "vcc_lo";
    if (r == isa::kVccLo + 1) return "vcc_hi";
    if (r >= isa::kTtmp0 && r < isa::kTtmp0 + 16) return fmt::format("ttmp{}", r - isa::kTtmp0);
    if (r == isa::kM0) return "m0";
    if (r == isa::kExecLo) return "exec_lo";
    if (r == isa::kExecLo + 1) return "exec_hi";
    if (r == isa::kScc) return "scc";
    return fmt::format("scalar register {}", r - isa::kScalar);
}

} // namespace pm::emu
