#include "peacemaker/emu/workgroup.h"

#include <algorithm>

#include <fmt/format.h>

namespace pm::emu {
namespace {

// Whether neither access comes before the other.
bool unordered(const ByteAccess& old, const ByteAccess& now) {
    if (!old.there || old.wave == now.wave || (old.atomic && now.atomic)) return false;
    return now.waited <= old.signalled && old.waited <= now.signalled;
}

void report_race(Wave& wave, std::uint32_t lane, std::uint32_t at, const ByteAccess& old, bool old_writes,
                 bool writes) {
    const Program& program = *wave.worker->program;
    report(wave, FindingKind::kLdsRace, lane, at,
           fmt::format("LDS byte {}: {} by wave {} and {} of wave {} by \"{}\" at {:+#x}, with no barrier between", at,
                       writes ? "written" : "read", wave.index, old_writes ? "a write" : "a read", old.wave,
                       program.texts[old.inst], program.insts[old.inst].offset));
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

void note_access(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, bool write, bool atomic) {
    const ByteAccess now{
        static_cast<std::uint16_t>(wave.index), true, atomic, wave.barriers_waited, wave.barriers_signalled, wave.pc};
    for (std::uint32_t i = at; i < at + bytes; ++i) {
        ByteHistory& history = wave.group->history[i];
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
    const std::size_t lds = static_cast<std::size_t>(Counter::kLgkm);
    for (std::uint32_t i = 0; i < wave.outstanding[lds].size; ++i) {
        const Outstanding& o = wave.outstanding[lds].of[i];
        if (o.cls != ReturnClass::kLdsOp) continue;
        for (ByteHistory& history : wave.group->history) {
            const auto extend = [&](ByteAccess& access) {
                if (access.there && access.wave == wave.index && access.inst == o.inst)
                    access.signalled = wave.barriers_signalled;
            };
            extend(history.write);
            for (ByteAccess& read : history.reads) extend(read);
        }
    }
}

} // namespace pm::emu
