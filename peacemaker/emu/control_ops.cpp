// Instructions that steer the wave: branches, waits, barriers, hints, and the vector moves that cross lanes or count
// registers from M0 on.
//
// Sources: RDNA ISA documents, chapters "Program flow control", "Data dependency resolution", "SOPP instructions".
#include "peacemaker/emu/global_race.h"
#include "peacemaker/emu/hardware_register.h"
#include "peacemaker/emu/row_builders.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/waits.h"
#include "peacemaker/emu/wave.h"
#include "peacemaker/emu/workgroup.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

void nothing(Wave&, const Inst&) {}

void end_program(Wave& wave, const Inst&) { wave.status = WaveStatus::kEnded; }

void barrier(Wave& wave, const Inst&) {
    signal_barrier(wave);
    wave.status = WaveStatus::kAtBarrier;
}

// gfx12: -1 is the workgroup's barrier. Others stop the launch.
bool names_workgroup(Wave& wave, const Source& which) {
    if (which.kind == Source::Kind::kConstant && static_cast<std::int32_t>(which.value) == -1) return true;
    stop_unsupported(wave, "unsupported barrier number");
    return false;
}

void barrier_signal(Wave& wave, const Inst& inst) {
    if (names_workgroup(wave, inst.sources[0])) signal_barrier(wave);
}

// The same; SCC says whether no other wave signalled the barrier before. It is there when the barrier is complete, or
// the scalar counter says so.
void barrier_signal_first(Wave& wave, const Inst& inst) {
    if (!names_workgroup(wave, inst.sources[0])) return;
    signal_barrier(wave);
    const bool first = wave.group->signalled == 1;
    issue(wave, {ReturnClass::kScalarLoad, isa::kScc, 1, 1, isa::Half::kWhole});
    set_scalar(wave, isa::kScc, first ? 1u : 0u);
    set_scalar_undefined(wave, isa::kScc, 0);
}

void barrier_wait(Wave& wave, const Inst& inst) {
    if (static_cast<std::int16_t>(inst.immediate) != -1) {
        stop_unsupported(wave, "unsupported barrier number");
        return;
    }
    complete(wave, isa::kScc);
    if (wave.barriers_waited == wave.barriers_signalled)
        report(wave, FindingKind::kBarrierDivergence, 0, 0, "waits for a barrier that this wave has not signalled");
    wave.status = WaveStatus::kAtBarrier;
}

// A scalar result that the scalar counter counts.
void give_late(Wave& wave, const Inst& inst, std::uint64_t value) {
    const auto dwords = static_cast<std::uint8_t>(inst.result_form == '2' ? 2 : 1);
    issue(wave, {ReturnClass::kScalarLoad, inst.result, dwords, 1, isa::Half::kWhole});
    for (u32 k = 0; k < dwords && inst.result != isa::kNull; ++k) {
        const auto r = static_cast<Register>(inst.result + k);
        set_scalar(wave, r, static_cast<u32>(value >> (32 * k)));
        set_scalar_undefined(wave, r, 0);
    }
}

// Signals of the barrier's present round, members, whether it is there (RDNA 4 ISA document, S_GET_BARRIER_STATE).
void barrier_state(Wave& wave, const Inst& inst) {
    if (!names_workgroup(wave, inst.sources[0])) return;
    const WorkgroupState& group = *wave.group;
    const u32 signals = group.signalled % group.waves;
    give_late(wave, inst, u64{signals} << 16 | u64{group.waves} << 4 | 1u);
}

// The clocks: a wave's count of executed instructions.
void read_clock(Wave& wave, const Inst& inst) { give_late(wave, inst, wave.instructions); }

// A message that is answered; of them only the one for the clock (SIDefines.h, SendMsg).
void send_message_for_answer(Wave& wave, const Inst& inst) {
    constexpr std::int32_t kGetRealtime = 131;
    if (inst.immediate == kGetRealtime)
        read_clock(wave, inst);
    else
        stop_unsupported(wave, "unsupported message");
}

// 2 ends the program (llvm.trap), 3 is for a debugger (AMDGPUUsage, "Trap Handler ABI").
void trap(Wave& wave, const Inst& inst) {
    constexpr std::int32_t kAbort = 2, kDebug = 3;
    if (inst.immediate == kAbort) {
        report(wave, FindingKind::kTrap, 0, 0, "the kernel gave up here (abort, a failed assertion, __builtin_trap)");
        wave.status = WaveStatus::kEnded;
    } else if (inst.immediate != kDebug) {
        stop_unsupported(wave, "unsupported trap number");
    }
}

void set_halt(Wave& wave, const Inst& inst) {
    if ((inst.immediate & 1) != 0) stop_unsupported(wave, "unsupported halt (for a debugger)");
}

// Giving back registers before the end changes nothing here; every other message has an effect that is not modelled.
void send_message(Wave& wave, const Inst& inst) {
    constexpr std::int32_t kDeallocVgprs = 3;
    if ((inst.immediate & 0xff) != kDeallocVgprs) stop_unsupported(wave, "unsupported message");
}

void jump(Wave& wave, const Inst& inst) { wave.next = inst.target; }

// --- jumps through registers, and calls ---------------------------------------------------------------------------

constexpr std::uint64_t kInstBytes = 4; // of each of them

std::uint64_t address_behind(const Wave& wave, const Inst& inst) {
    return wave.worker->code_address + static_cast<std::uint64_t>(std::int64_t{inst.offset}) + kInstBytes;
}

void set_return_address(Wave& wave, const Inst& inst) {
    const std::uint64_t address = address_behind(wave, inst);
    set_scalar(wave, inst.result, static_cast<u32>(address));
    set_scalar_undefined(wave, inst.result, 0);
    if (inst.result == isa::kNull) return;
    const auto high = static_cast<Register>(inst.result + 1);
    set_scalar(wave, high, static_cast<u32>(address >> 32));
    set_scalar_undefined(wave, high, 0);
}

// A jump to what is no instruction is a fetch out of bounds: the wave ends there. One into another code object's
// instructions is right, but they are not in this program.
void jump_to(Wave& wave, const Inst& inst) {
    const Source& source = inst.sources[0];
    if (source.kind == Source::Kind::kScalar) require_defined_scalar(wave, source.reg, 2, "a jump");
    const std::uint64_t address = scalar_value(wave, source);
    const u32 index = wave.worker->program->at(static_cast<std::int64_t>(address - wave.worker->code_address));
    if (index != Program::kNoInst) {
        wave.next = index;
        return;
    }
    const Allocation* const there = wave.worker->memory->find(address);
    if (there != nullptr && there->code && address % kInstBytes == 0) {
        stop_unsupported(wave, "unsupported jump to code that is no instruction of the kernel's segment");
        return;
    }
    report(wave, FindingKind::kReadOutOfBounds, 0, address,
           fmt::format("a jump to 0x{:x}, where no instruction starts", address));
    wave.status = WaveStatus::kEnded;
}

void get_pc(Wave& wave, const Inst& inst) { set_return_address(wave, inst); }

void set_pc(Wave& wave, const Inst& inst) { jump_to(wave, inst); }

// The target is read before the return address is written; they may share their registers.
void swap_pc(Wave& wave, const Inst& inst) {
    jump_to(wave, inst);
    set_return_address(wave, inst);
}

void call(Wave& wave, const Inst& inst) {
    set_return_address(wave, inst);
    wave.next = inst.target;
}

template <bool When>
void branch_scc(Wave& wave, const Inst& inst) {
    require_defined_scalar(wave, isa::kScc, 1, "a branch");
    if (wave.scc() == When) wave.next = inst.target;
}

template <bool When>
void branch_vcc(Wave& wave, const Inst& inst) {
    const u32 dwords = wave.lanes() / kLanes;
    u64 undefined = scalar_undefined(wave, isa::kVccLo);
    if (dwords == 2) undefined |= u64{scalar_undefined(wave, isa::kVccLo + 1)} << 32;
    const u64 vcc = wave.whole_mask(isa::kVccLo);
    // A defined 1 anywhere decides, whatever the undefined lanes hold.
    if (undefined != 0 && (vcc & ~undefined) == 0) require_defined_scalar(wave, isa::kVccLo, dwords, "a branch");
    if ((vcc != 0) == When) wave.next = inst.target;
}

template <bool When>
void branch_exec(Wave& wave, const Inst& inst) {
    if ((wave.whole_exec() != 0) == When) wave.next = inst.target;
}

void waitcnt(Wave& wave, const Inst& inst) {
    const isa::LoadAndLgkm most = isa::waitcnt_field(*wave.worker->chip, static_cast<u32>(inst.immediate));
    wait_for(wave, Counter::kLoad, most.load);
    wait_for(wave, Counter::kLgkm, most.lgkm);
}

template <Counter C>
void wait_one(Wave& wave, const Inst& inst) {
    wait_for(wave, C, static_cast<u32>(inst.immediate));
}

void wait_load_ds(Wave& wave, const Inst& inst) {
    const isa::LoadAndLgkm most = isa::loadcnt_dscnt_field(static_cast<u32>(inst.immediate));
    wait_for(wave, Counter::kLgkm, most.lgkm);
    wait_for(wave, Counter::kLoad, most.load);
}

void wait_store_ds(Wave& wave, const Inst& inst) {
    wait_for(wave, Counter::kLgkm, static_cast<u32>(inst.immediate) & 63u);
}

// --- the mode register and its like -------------------------------------------------------------------------------

// Rounding to nearest even, f16 and f64 subnormals kept, f32 ones kept or flushed; DX10_CLAMP and IEEE as they are.
void set_mode(Wave& wave, u32 mode) {
    const u32 now = wave.scalar(isa::kMode), f32 = (mode >> 4) & 3u;
    if ((mode & 15u) != 0)
        stop_unsupported(wave, "unsupported float rounding mode");
    else if (((mode >> 6) & 3u) != 3 || (f32 != 0 && f32 != 3))
        stop_unsupported(wave, "unsupported float denormal mode");
    else if ((mode >> 8) != (now >> 8))
        stop_unsupported(wave, "unsupported change of the mode register");
    else
        set_scalar(wave, isa::kMode, mode);
}

void denorm_mode(Wave& wave, const Inst& inst) {
    set_mode(wave, (wave.scalar(isa::kMode) & ~0xf0u) | (static_cast<u32>(inst.immediate) & 15u) << 4);
}
void round_mode(Wave& wave, const Inst& inst) {
    set_mode(wave, (wave.scalar(isa::kMode) & ~15u) | (static_cast<u32>(inst.immediate) & 15u));
}

// The register that a field of S_GETREG and S_SETREG names; kNull where it is not modelled.
Register hardware_register(const Wave& wave, const HardwareField& field) {
    if (field.id == kHardwareMode) return isa::kMode;
    const bool scratch = wave.worker->chip->generation == 10;
    if (scratch && field.id == kHardwareScratchLow) return isa::kFlatScratchLo;
    if (scratch && field.id == kHardwareScratchHigh) return isa::kFlatScratchLo + 1;
    return isa::kNull;
}

void set_hardware(Wave& wave, const HardwareField& field, u32 value, u32 undefined) {
    const Register r = hardware_register(wave, field);
    if (r == isa::kNull) {
        stop_unsupported(wave, "unsupported hardware register");
        return;
    }
    const u32 mask = field.mask();
    const u32 merged = (wave.scalar(r) & ~mask) | ((value << field.offset) & mask);
    if (r == isa::kMode) {
        set_mode(wave, merged);
        return;
    }
    const u32 left = scalar_undefined(wave, r) & ~mask;
    set_scalar(wave, r, merged);
    set_scalar_undefined(wave, r, left | ((undefined << field.offset) & mask));
}
void setreg(Wave& wave, const Inst& inst) {
    const HardwareField field = hardware_field(static_cast<u32>(inst.immediate));
    const Source& s = inst.sources[0];
    if (field.id == kHardwareMode && s.kind == Source::Kind::kScalar)
        require_defined_scalar(wave, s.reg, 1, "the mode register");
    set_hardware(wave, field, static_cast<u32>(scalar_value(wave, s)), static_cast<u32>(scalar_undefined(wave, s)));
}
void setreg_constant(Wave& wave, const Inst& inst) {
    set_hardware(wave, hardware_field(static_cast<u32>(inst.second_immediate)), static_cast<u32>(inst.immediate), 0);
}
void getreg(Wave& wave, const Inst& inst) {
    const HardwareField field = hardware_field(static_cast<u32>(inst.immediate));
    const bool clock =
        field.id == kHardwareCyclesLow || (field.id == kHardwareCyclesHigh && wave.worker->chip->generation >= 12);
    if (clock) {
        const auto cycles = static_cast<u32>(wave.instructions >> (field.id == kHardwareCyclesLow ? 0 : 32));
        set_scalar(wave, inst.result, (cycles & field.mask()) >> field.offset);
        set_scalar_undefined(wave, inst.result, 0);
        return;
    }
    const Register r = hardware_register(wave, field);
    if (r == isa::kNull) {
        stop_unsupported(wave, "unsupported hardware register");
        return;
    }
    set_scalar(wave, inst.result, (wave.scalar(r) & field.mask()) >> field.offset);
    set_scalar_undefined(wave, inst.result, (scalar_undefined(wave, r) & field.mask()) >> field.offset);
}

// --- moves between registers that M0 chooses ----------------------------------------------------------------------

// M0 is the one offset, or holds one for the source in bits 9:0 and one for the result in bits 25:16.
struct Offsets {
    u32 source = 0, result = 0;
};
template <bool Two>
Offsets offsets_of(Wave& wave) {
    require_defined_scalar(wave, isa::kM0, 1, "a register number");
    const u32 m0 = wave.scalar(isa::kM0);
    return Two ? Offsets{m0 & 0x3ffu, (m0 >> 16) & 0x3ffu} : Offsets{m0, m0};
}

// The scalar register `by` behind `base`; kNull and a finding where a wave has none there.
Register relative_register(Wave& wave, Register base, u32 by, u32 dwords) {
    const u64 number = u64{base} - isa::kScalar + by;
    if (number + dwords <= wave.worker->chip->sgprs) return static_cast<Register>(isa::kScalar + number);
    report(wave, FindingKind::kRegisterOutsideAllocation, 0, 0,
           fmt::format("scalar register {} is named through M0, a wave has {}", number, wave.worker->chip->sgprs));
    return isa::kNull;
}

void move_scalars(Wave& wave, Register from, Register to, u32 dwords) {
    for (u32 k = 0; k < dwords && from != isa::kNull && to != isa::kNull; ++k) {
        const auto source = static_cast<Register>(from + k), target = static_cast<Register>(to + k);
        check_register(wave, source, 1, isa::Half::kWhole, false);
        check_register(wave, target, 1, isa::Half::kWhole, true);
        set_scalar(wave, target, wave.scalar(source));
        set_scalar_undefined(wave, target, scalar_undefined(wave, source));
    }
}

template <u32 Dwords>
void move_from_relative(Wave& wave, const Inst& inst) {
    const Register from = relative_register(wave, inst.memory.base, offsets_of<false>(wave).source, Dwords);
    move_scalars(wave, from, inst.memory.data, Dwords);
}
template <u32 Dwords>
void move_to_relative(Wave& wave, const Inst& inst) {
    const Register to = relative_register(wave, inst.memory.data, offsets_of<false>(wave).result, Dwords);
    if (inst.sources[0].kind != Source::Kind::kConstant) {
        move_scalars(wave, inst.memory.base, to, Dwords);
        return;
    }
    for (u32 k = 0; k < Dwords && to != isa::kNull; ++k) {
        const auto target = static_cast<Register>(to + k);
        check_register(wave, target, 1, isa::Half::kWhole, true);
        set_scalar(wave, target, static_cast<u32>(inst.sources[0].value >> (32 * k)));
        set_scalar_undefined(wave, target, 0);
    }
}
void move_relative_both(Wave& wave, const Inst& inst) {
    const Offsets offset = offsets_of<true>(wave);
    const Register from = relative_register(wave, inst.memory.base, offset.source, 1);
    const Register to = relative_register(wave, inst.memory.data, offset.result, 1);
    move_scalars(wave, from, to, 1);
}

// --- lane crossing ------------------------------------------------------------------------------------------------

// A lane of the wave as a scalar.
void read_lane(Wave& wave, const Inst& inst, u32 lane) {
    const Wave& half = wave.half_of(lane);
    const Register r = inst.sources[0].reg;
    set_scalar(wave, inst.result, half.v[r][lane % kLanes]);
    set_scalar_undefined(wave, inst.result, half.undefined_word(r, lane % kLanes));
}

// With EXEC all zero lane 0 is read (ISA: V_READFIRSTLANE_B32).
void readfirstlane(Wave& wave, const Inst& inst) {
    const u64 exec = wave.whole_exec();
    read_lane(wave, inst, exec == 0 ? 0u : static_cast<u32>(std::countr_zero(exec)));
}

// A scalar source that picks lanes; a finding where it is undefined.
u32 lane_selector(Wave& wave, const Source& s) {
    if (s.kind == Source::Kind::kScalar) require_defined_scalar(wave, s.reg, 1, "a lane number");
    return static_cast<u32>(scalar_value(wave, s));
}

void readlane(Wave& wave, const Inst& inst) {
    read_lane(wave, inst, lane_selector(wave, inst.sources[1]) % wave.lanes());
}

void writelane(Wave& wave, const Inst& inst) {
    const u32 number = lane_selector(wave, inst.sources[1]) % wave.lanes(), lane = number % kLanes;
    Wave& half = wave.half_of(number);
    u32 undefined[kLanes] = {};
    undefined[lane] = static_cast<u32>(scalar_undefined(wave, inst.sources[0]));
    half.v[inst.result][lane] = static_cast<u32>(scalar_value(wave, inst.sources[0]));
    set_undefined(half, inst.result, undefined, 1u << lane);
}

// Each active lane of a wave64 takes its lane of the other half, active or not.
void permlane64(Wave& wave, const Inst& inst) {
    Wave* const halves[2] = {&wave, wave.upper};
    const Register r = inst.sources[0].reg;
    u32 value[2][kLanes], undefined[2][kLanes];
    for (u32 h = 0; h < 2; ++h)
        for (u32 lane = 0; lane < kLanes; ++lane) {
            value[h][lane] = halves[1 - h]->v[r][lane];
            undefined[h][lane] = halves[1 - h]->undefined_word(r, lane);
        }
    for (u32 h = 0; h < 2; ++h) {
        const u32 exec = halves[h]->exec();
        for (u32 lane = 0; lane < kLanes; ++lane)
            if (((exec >> lane) & 1u) != 0) halves[h]->v[inst.result][lane] = value[h][lane];
        set_undefined(*halves[h], inst.result, undefined[h], exec);
    }
}

// Each lane takes a lane of its own row of 16 (or the other row), picked by four bits of the two selectors.
// op_sel of source 0 is FI (inactive lanes are read), of source 1 BOUND_CTRL (an inactive source gives 0, else the lane
// stays).
template <bool OtherRow>
void permlane16(Wave& wave, const Inst& inst) {
    const Register r = inst.sources[0].reg;
    const u32 low = lane_selector(wave, inst.sources[1]), high = lane_selector(wave, inst.sources[2]);
    const bool fetch_inactive = inst.sources[0].op_sel, bound = inst.sources[1].op_sel;
    u32 value[kLanes], undefined[kLanes] = {};
    u32 written = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        const u32 in_row = lane & 15u;
        const u32 pick = ((in_row < 8 ? low : high) >> (4 * (in_row & 7u))) & 15u;
        const u32 from = ((lane & 16u) ^ (OtherRow ? 16u : 0u)) | pick;
        const bool there = fetch_inactive || ((wave.exec() >> from) & 1u) != 0;
        value[lane] = there ? wave.v[r][from] : 0u;
        if (there) undefined[lane] = wave.undefined_word(r, from);
        if (there || bound) written |= 1u << lane;
    }
    written &= wave.exec();
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((written >> lane) & 1u) != 0) wave.v[inst.result][lane] = value[lane];
    set_undefined(wave, inst.result, undefined, written);
}

// gfx12: each lane names the lane of the row in a register of its own.
template <bool OtherRow>
void permlane16_var(Wave& wave, const Inst& inst) {
    const Register r = inst.sources[0].reg, selector = inst.sources[1].reg;
    const bool fetch_inactive = inst.sources[0].op_sel, bound = inst.sources[1].op_sel;
    require_defined_lanes(wave, selector, wave.exec(), "a lane number");
    u32 value[kLanes], undefined[kLanes] = {};
    u32 written = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        const u32 from = ((lane & 16u) ^ (OtherRow ? 16u : 0u)) | (wave.v[selector][lane] & 15u);
        const bool there = fetch_inactive || ((wave.exec() >> from) & 1u) != 0;
        value[lane] = there ? wave.v[r][from] : 0u;
        if (there) undefined[lane] = wave.undefined_word(r, from);
        if (there || bound) written |= 1u << lane;
    }
    written &= wave.exec();
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((written >> lane) & 1u) != 0) wave.v[inst.result][lane] = value[lane];
    set_undefined(wave, inst.result, undefined, written);
}

void swap_registers(Wave& wave, Register a, Register b) {
    u32 undefined_a[kLanes], undefined_b[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
        undefined_a[lane] = wave.undefined_word(a, lane);
        undefined_b[lane] = wave.undefined_word(b, lane);
        if (((wave.exec() >> lane) & 1u) != 0) std::swap(wave.v[a][lane], wave.v[b][lane]);
    }
    set_undefined(wave, a, undefined_b, wave.exec());
    set_undefined(wave, b, undefined_a, wave.exec());
}
void swap(Wave& wave, const Inst& inst) { swap_registers(wave, inst.result, inst.sources[0].reg); }

// Halves of two registers, or of one.
void swap_halves(Wave& wave, const Inst& inst) {
    const Register a = inst.result, b = inst.sources[0].reg;
    const u32 from_a = inst.result_high ? 16 : 0, from_b = inst.sources[0].op_sel ? 16 : 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((wave.exec() >> lane) & 1u) == 0) continue;
        const auto exchange = [&](u32(*words)[kLanes]) {
            const u32 x = (words[a][lane] >> from_a) & 0xffffu, y = (words[b][lane] >> from_b) & 0xffffu;
            words[a][lane] = (words[a][lane] & ~(0xffffu << from_a)) | y << from_a;
            words[b][lane] = (words[b][lane] & ~(0xffffu << from_b)) | x << from_b;
        };
        u32 undefined_a[kLanes] = {}, undefined_b[kLanes] = {};
        undefined_a[lane] = wave.undefined_word(a, lane);
        undefined_b[lane] = wave.undefined_word(b, lane);
        set_undefined(wave, a, undefined_a, 1u << lane);
        set_undefined(wave, b, undefined_b, 1u << lane);
        exchange(wave.v);
        exchange(wave.v_undefined);
        undefined_a[lane] = wave.v_undefined[a][lane];
        undefined_b[lane] = wave.v_undefined[b][lane];
        set_undefined(wave, a, undefined_a, 1u << lane);
        set_undefined(wave, b, undefined_b, 1u << lane);
    }
}

// --- registers counted from M0 on ---------------------------------------------------------------------------------

// The register `offset` behind `base`, checked like any operand; kNull where there is none.
Register relative(Wave& wave, Register base, u32 offset, bool writes) {
    const std::uint64_t number = std::uint64_t{base} + offset;
    if (number > 255) {
        stop_unsupported(wave, fmt::format("unsupported register number {}", number));
        return isa::kNull;
    }
    const auto r = static_cast<Register>(number);
    check_register(wave, r, wave.exec(), isa::Half::kWhole, writes);
    return r;
}

template <bool FromRelative, bool ToRelative, bool Two = false>
void move_relative(Wave& wave, const Inst& inst) {
    const Source& s = inst.sources[0];
    const Offsets offset = offsets_of<Two>(wave);
    u32 value[kLanes], undefined[kLanes] = {};
    if (s.kind == Source::Kind::kVector) {
        const Register from = FromRelative ? relative(wave, s.reg, offset.source, false) : s.reg;
        if (from == isa::kNull) return;
        for (u32 lane = 0; lane < kLanes; ++lane) {
            value[lane] = wave.v[from][lane];
            undefined[lane] = wave.undefined_word(from, lane);
        }
    } else {
        std::fill_n(value, kLanes, static_cast<u32>(scalar_value(wave, s)));
        std::fill_n(undefined, kLanes, static_cast<u32>(scalar_undefined(wave, s)));
    }
    const Register to = ToRelative ? relative(wave, inst.result, offset.result, true) : inst.result;
    if (to == isa::kNull) return;
    for (u32 lane = 0; lane < kLanes; ++lane)
        if (((wave.exec() >> lane) & 1u) != 0) wave.v[to][lane] = value[lane];
    set_undefined(wave, to, undefined, wave.exec());
}

void swap_relative(Wave& wave, const Inst& inst) {
    const Offsets offset = offsets_of<true>(wave);
    const Register a = relative(wave, inst.result, offset.result, true);
    const Register b = relative(wave, inst.sources[0].reg, offset.source, true);
    if (a != isa::kNull && b != isa::kNull) swap_registers(wave, a, b);
}

// Before gfx12 the instruction's name says what it invalidates, from then on its scope.
void invalidate(Wave& wave, const Inst& inst) {
    if (wave.worker->chip->generation < 12 || isa::reaches_device(inst.immediate)) wave.worker->accesses->acquire(wave);
}

constexpr Row row(std::string_view name, Handler handler, std::string_view shape = "-:") {
    Row r;
    r.name = name;
    r.unit = Unit::kControl;
    r.shape = shape;
    r.handler = handler;
    return r;
}

constexpr Row hint(std::string_view name) {
    Row r = row(name, nothing);
    r.hint = true;
    return r;
}

constexpr Row hint_of_wave32(Row r) {
    r.hint = true;
    return whole_wave(r);
}

constexpr Row relative_row(std::string_view name, Handler handler, bool from, bool to) {
    Row r = row(name, handler, "1:1");
    r.relative_source = from;
    r.relative_result = to;
    return r;
}

constexpr Row setting_mode(Row r, bool names_hardware) {
    r.sets_mode = true;
    r.names_hardware = names_hardware;
    return r;
}

constexpr Row reading_scc(Row r) {
    r.scc_in = true;
    return r;
}

constexpr Row relative(Row r) {
    r.relative = true;
    return r;
}

constexpr Row clock(Row r) {
    return approximate(r, "the instructions that the wave has executed; a card counts clocks");
}

constexpr Row kRows[] = {
    row("S_ENDPGM", end_program),
    hint("S_NOP"),
    hint("DS_NOP"),
    hint("S_SLEEP"),
    hint("S_CLAUSE"),
    hint("BUFFER_GL0_INV"), // caches are not modelled: memory is always coherent
    row("BUFFER_GL1_INV", invalidate),
    row("GLOBAL_INV", invalidate),
    hint("GLOBAL_WB"),
    hint("GLOBAL_WBINV"),
    hint("S_DCACHE_INV"),
    hint("S_GL1_INV"),
    hint("S_ATC_PROBE"), // fetches an address translation, nothing else
    hint("S_ATC_PROBE_BUFFER"),
    hint("S_PREFETCH_DATA"),
    hint("S_PREFETCH_DATA_PC_REL"),
    hint("S_PREFETCH_INST"),
    hint("S_PREFETCH_INST_PC_REL"),
    hint("S_BUFFER_PREFETCH_DATA"),
    hint("S_ICACHE_INV"),
    hint("S_DELAY_ALU"),
    hint("S_INST_PREFETCH"),
    hint("S_SETPRIO"),
    hint("S_WAITCNT_DEPCTR"),
    hint("S_WAIT_IDLE"),
    hint("S_WAIT_EVENT"), // of exports
    hint("S_WAKEUP"),
    hint("S_SLEEP_VAR"),
    hint("S_VERSION"),
    hint("S_INCPERFLEVEL"),
    hint("S_DECPERFLEVEL"),
    hint("S_TTRACEDATA"),
    hint("V_NOP"),
    hint("V_PIPEFLUSH"),
    hint("V_CLREXCP"), // exceptions are not modelled
    hint_of_wave32(row("V_PERMLANE64_B32", permlane64, "1:1")),
    setting_mode(row("S_DENORM_MODE", denorm_mode), false),
    setting_mode(row("S_ROUND_MODE", round_mode), false),
    setting_mode(row("S_SETREG_B32", setreg, "-:1"), true),
    setting_mode(row("S_SETREG_IMM32_B32", setreg_constant), true),
    row("S_GETREG_B32", getreg, "1:"),
    row("S_CODE_END", nothing),
    row("S_SENDMSG", send_message),
    row("S_BARRIER", barrier),
    row("S_BARRIER_SIGNAL", barrier_signal, "-:1"),
    row("S_BARRIER_WAIT", barrier_wait),
    row("S_BRANCH", jump),
    row("S_GETPC_B64", get_pc, "2:"),
    row("S_SETPC_B64", set_pc, "-:2"),
    row("S_SWAPPC_B64", swap_pc, "2:2"),
    row("S_CALL_B64", call, "2:"),
    reading_scc(row("S_CBRANCH_SCC0", branch_scc<false>)),
    reading_scc(row("S_CBRANCH_SCC1", branch_scc<true>)),
    row("S_CBRANCH_VCCZ", branch_vcc<false>),
    row("S_CBRANCH_VCCNZ", branch_vcc<true>),
    row("S_CBRANCH_EXECZ", branch_exec<false>),
    row("S_CBRANCH_EXECNZ", branch_exec<true>),
    row("S_CBRANCH_CDBGSYS", nothing), // flags of a debugger, none of them set
    row("S_CBRANCH_CDBGUSER", nothing),
    row("S_CBRANCH_CDBGSYS_OR_USER", nothing),
    row("S_CBRANCH_CDBGSYS_AND_USER", nothing),
    row("S_TRAP", trap),
    row("S_SETHALT", set_halt),
    clock(row("S_MEMTIME", read_clock, "2:")),
    clock(row("S_MEMREALTIME", read_clock, "2:")),
    clock(row("S_SENDMSG_RTN_B32", send_message_for_answer, "1:")),
    clock(row("S_SENDMSG_RTN_B64", send_message_for_answer, "2:")),
    row("S_BARRIER_SIGNAL_ISFIRST", barrier_signal_first, "-:1"),
    row("S_GET_BARRIER_STATE", barrier_state, "1:1"),
    relative(row("S_MOVRELS_B32", move_from_relative<1>, "1:1")),
    relative(row("S_MOVRELS_B64", move_from_relative<2>, "2:2")),
    relative(row("S_MOVRELD_B32", move_to_relative<1>, "-:1")),
    relative(row("S_MOVRELD_B64", move_to_relative<2>, "-:2")),
    relative(row("S_MOVRELSD_2_B32", move_relative_both, "1:1")),
    row("S_WAITCNT", waitcnt),
    row("S_WAITCNT_VMCNT", wait_one<Counter::kLoad>),
    row("S_WAITCNT_LGKMCNT", wait_one<Counter::kLgkm>),
    row("S_WAITCNT_VSCNT", nothing), // stores fill no register
    row("S_WAITCNT_EXPCNT", nothing),
    row("S_WAIT_LOADCNT", wait_one<Counter::kLoad>),
    row("S_WAIT_DSCNT", wait_one<Counter::kLgkm>),
    row("S_WAIT_KMCNT", wait_one<Counter::kKm>),
    row("S_WAIT_STORECNT", nothing),
    row("S_WAIT_EXPCNT", nothing),
    row("S_WAIT_SAMPLECNT", nothing),
    row("S_WAIT_BVHCNT", nothing),
    row("S_WAIT_LOADCNT_DSCNT", wait_load_ds),
    row("S_WAIT_STORECNT_DSCNT", wait_store_ds),
    whole_wave(row("V_READFIRSTLANE_B32", readfirstlane, "1:1")),
    whole_wave(row("V_READLANE_B32", readlane, "1:11")),
    whole_wave(row("V_WRITELANE_B32", writelane, "1:11")),
    row("V_PERMLANE16_B32", permlane16<false>, "1:111"),
    row("V_PERMLANEX16_B32", permlane16<true>, "1:111"),
    row("V_PERMLANE16_VAR_B32", permlane16_var<false>, "1:11"),
    row("V_PERMLANEX16_VAR_B32", permlane16_var<true>, "1:11"),
    row("V_SWAP_B32", swap, "1:1"),
    row("V_SWAP_B16", swap_halves, "h:h"),
    relative_row("V_MOVRELD_B32", move_relative<false, true>, false, true),
    relative_row("V_MOVRELS_B32", move_relative<true, false>, true, false),
    relative_row("V_MOVRELSD_B32", move_relative<true, true>, true, true),
    relative_row("V_MOVRELSD_2_B32", move_relative<true, true, true>, true, true),
    relative_row("V_SWAPREL_B32", swap_relative, true, true),
};

} // namespace

std::span<const Row> control_rows() { return kRows; }

} // namespace pm::emu
