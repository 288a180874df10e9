#include "peacemaker/emu/workgroup.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace pm::emu {
namespace {

// Whether neither access comes before the other.
bool unordered(const ByteAccess& old, const ByteAccess& now) {
    if (!old.there || old.wave == now.wave || (old.atomic && now.atomic)) return false;
    return now.waited <= old.signalled && old.waited <= now.signalled;
}

void report_race(Wave& wave, std::uint32_t lane, std::uint32_t at, const ByteAccess& old, bool old_writes, bool writes,
                 std::string_view missing = "barrier") {
    const Program& program = *wave.worker->program;
    report(wave, FindingKind::kLdsRace, lane, at,
           fmt::format("LDS byte {}: {} by wave {} and {} of wave {} by \"{}\" at {:+#x}, with no {} between", at,
                       writes ? "written" : "read", wave.index, old_writes ? "a write" : "a read", old.wave,
                       program.texts[old.inst], program.insts[old.inst].offset, missing));
}

// Whether the operation that wrote a byte late may still do so.
bool outstanding(Wave& wave, const ByteAccess& write) {
    const OutstandingList& loads = wave.whole().outstanding[static_cast<std::size_t>(Counter::kLoad)];
    return std::any_of(loads.of.begin(), loads.of.begin() + loads.size,
                       [&](const Outstanding& o) { return o.to_lds && o.step == write.step; });
}

// Loads from memory write in issue order among themselves on the chips that have those to LDS.
void judge_late_write(Wave& wave, std::uint32_t lane, std::uint32_t at, ByteAccess& write, LdsAccess kind) {
    if (!write.late || write.wave != wave.index || kind == LdsAccess::kLateWrite) return;
    if (outstanding(wave, write))
        report_race(wave, lane, at, write, true, kind != LdsAccess::kRead, "wait");
    else
        write.late = false;
}

void remember_read(ByteHistory& history, const ByteAccess& now) {
    for (ByteAccess& read : history.reads)
        if (read.there && read.wave == now.wave) {
            read = now;
            return;
        }
    ByteAccess& oldest =
        history.reads[0].there && (!history.reads[1].there || history.reads[1].signalled < history.reads[0].signalled)
            ? history.reads[1]
            : history.reads[0];
    oldest = now;
}

} // namespace

void WorkgroupState::start(std::uint32_t bytes, std::uint32_t wave_count) {
    waves = wave_count;
    barrier = signalled = 0;
    lds.assign(bytes, 0xa5);
    undefined.assign(bytes, 0xff);
    history.assign(bytes, {});
    acquired = 0;
}

void note_access(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, LdsAccess kind) {
    const bool write = kind != LdsAccess::kRead;
    const ByteAccess now{static_cast<std::uint16_t>(wave.index),
                         true,
                         kind == LdsAccess::kAtomic,
                         kind == LdsAccess::kLateWrite,
                         wave.barriers_waited,
                         wave.barriers_signalled,
                         wave.pc,
                         wave.step()};
    for (std::uint32_t i = at; i < at + bytes; ++i) {
        ByteHistory& history = wave.group->history[i];
        judge_late_write(wave, lane, i, history.write, kind);
        if (unordered(history.write, now)) report_race(wave, lane, i, history.write, true, write);
        if (write) {
            for (const ByteAccess& read : history.reads)
                if (unordered(read, now)) report_race(wave, lane, i, read, false, true);
            history.write = now;
        } else {
            remember_read(history, now);
        }
    }
}

void signal_barrier(Wave& wave) {
    ++wave.barriers_signalled;
    WorkgroupState& group = *wave.group;
    group.signalled = wave.barriers_signalled > group.barrier ? 1 : group.signalled + 1;
    group.barrier = std::max(group.barrier, wave.barriers_signalled);
    for (const OutstandingList& list : wave.outstanding)
        for (std::uint32_t i = 0; i < list.size; ++i) {
            const Outstanding& o = list.of[i];
            if (o.cls != ReturnClass::kLdsOp && !o.to_lds) continue;
            for (ByteHistory& history : wave.group->history) {
                const auto extend = [&](ByteAccess& access) {
                    if (access.there && access.wave == wave.index && access.step == o.step)
                        access.signalled = wave.barriers_signalled;
                };
                extend(history.write);
                for (ByteAccess& read : history.reads) extend(read);
            }
        }
}

} // namespace pm::emu
