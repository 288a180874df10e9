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

// Made anew for each lane, it would be copied before its parts have arrived in memory: that stalls the host.
const ByteAccess& access_of(const Wave& wave, LdsAccess kind) {
    ByteAccess& now = wave.group->current;
    const bool atomic = kind == LdsAccess::kAtomic, late = kind == LdsAccess::kLateWrite;
    const bool same = now.there && now.step == wave.step() && now.inst == wave.pc && now.wave == wave.index &&
                      now.atomic == atomic && now.late == late && now.waited == wave.barriers_waited &&
                      now.signalled == wave.barriers_signalled;
    if (!same)
        now = {static_cast<std::uint16_t>(wave.index),
               true,
               atomic,
               late,
               wave.barriers_waited,
               wave.barriers_signalled,
               wave.pc,
               wave.step()};
    return now;
}

void remember_write(ByteHistory& history, const ByteAccess& now) {
    if (!now.atomic)
        history.plain = {};
    else if (!history.write.atomic)
        history.plain = history.write;
    history.write = now;
}

void note_byte(Wave& wave, std::uint32_t lane, std::uint32_t at, ByteHistory& history, const ByteAccess& now,
               LdsAccess kind) {
    const bool write = kind != LdsAccess::kRead;
    judge_late_write(wave, lane, at, history.write, kind);
    for (const ByteAccess* old : {&history.write, &history.plain}) {
        if (!unordered(*old, now)) continue;
        report_race(wave, lane, at, *old, true, write);
        break;
    }
    if (write) {
        for (const ByteAccess& read : history.reads)
            if (unordered(read, now)) report_race(wave, lane, at, read, false, true);
        remember_write(history, now);
    } else {
        remember_read(history, now);
    }
}

bool is_same_instruction(const ByteAccess& a, const ByteAccess& b) {
    return a.there && a.step == b.step && a.wave == b.wave && a.inst == b.inst;
}

// The same for a word whose bytes are alike. False, and nothing done, where a look at each byte is due.
bool note_word(ByteHistory& history, const ByteAccess& now, bool write) {
    // Another lane has read it, and nothing came between.
    if (!write && (is_same_instruction(history.reads[0], now) || is_same_instruction(history.reads[1], now)))
        return true;
    if (history.write.late || unordered(history.write, now)) return false;
    if (history.write.atomic && unordered(history.plain, now)) return false;
    if (write) {
        if (unordered(history.reads[0], now) || unordered(history.reads[1], now)) return false;
        remember_write(history, now);
    } else {
        remember_read(history, now);
    }
    return true;
}

WordBytes& bytes_of(WorkgroupState& group, WordHistory& word) {
    if (word.split == 0) {
        WordBytes& bytes = group.splits.emplace_back();
        bytes.fill(word.all);
        word.split = static_cast<std::uint32_t>(group.splits.size());
    }
    return group.splits[word.split - 1];
}

void widen_range(Wave& wave, std::uint32_t low, std::uint32_t high) {
    Wave& whole = wave.whole();
    whole.lds_low = std::min(whole.lds_low, low);
    whole.lds_high = std::max(whole.lds_high, high);
}

// `count` bytes of one word.
void note_part(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t count, const ByteAccess& now,
               LdsAccess kind) {
    WorkgroupState& group = *wave.group;
    WordHistory& word = group.history[at / kWordBytes];
    if (count == kWordBytes && word.split == 0 && note_word(word.all, now, kind != LdsAccess::kRead)) return;
    WordBytes& each = bytes_of(group, word);
    for (std::uint32_t i = 0; i < count; ++i) note_byte(wave, lane, at + i, each[at % kWordBytes + i], now, kind);
}

} // namespace

void WorkgroupState::start(std::uint32_t bytes, std::uint32_t wave_count) {
    waves = wave_count;
    barrier = signalled = 0;
    lds.assign(bytes, 0xa5);
    undefined.assign(bytes, 0xff);
    history.assign((bytes + kWordBytes - 1) / kWordBytes, {});
    splits.clear();
    current = {};
    acquired = 0;
}

void note_access(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, LdsAccess kind) {
    const ByteAccess& now = access_of(wave, kind);
    widen_range(wave, at, at + bytes);
    const std::uint32_t end = at + bytes;
    while (at < end) {
        const std::uint32_t count = std::min(kWordBytes - at % kWordBytes, end - at);
        note_part(wave, lane, at, count, now, kind);
        at += count;
    }
}

void note_words(Wave& wave, std::uint32_t lanes, const std::uint32_t* at, std::uint32_t bytes, LdsAccess kind) {
    const ByteAccess& now = access_of(wave, kind);
    std::uint32_t low = ~0u, high = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        low = std::min(low, at[lane]);
        high = std::max(high, at[lane] + bytes);
        for (std::uint32_t i = 0; i < bytes; i += kWordBytes)
            note_part(wave, lane, at[lane] + i, kWordBytes, now, kind);
    }
    widen_range(wave, low, high);
}

void signal_barrier(Wave& wave) {
    ++wave.barriers_signalled;
    WorkgroupState& group = *wave.group;
    group.signalled = wave.barriers_signalled > group.barrier ? 1 : group.signalled + 1;
    group.barrier = std::max(group.barrier, wave.barriers_signalled);
    std::array<std::uint32_t, kMostOutstanding * isa::kCounters> steps{};
    std::size_t count = 0;
    for (const OutstandingList& list : wave.outstanding)
        for (std::uint32_t i = 0; i < list.size; ++i)
            if (list.of[i].cls == ReturnClass::kLdsOp || list.of[i].to_lds) steps[count++] = list.of[i].step;
    if (count == 0) {
        wave.lds_low = ~0u;
        wave.lds_high = 0;
        return;
    }
    const auto extend = [&](ByteAccess& access) {
        if (access.there && access.wave == wave.index &&
            std::find(steps.begin(), steps.begin() + count, access.step) != steps.begin() + count)
            access.signalled = wave.barriers_signalled;
    };
    const auto extend_all = [&](ByteHistory& history) {
        extend(history.write);
        extend(history.plain);
        for (ByteAccess& read : history.reads) extend(read);
    };
    for (std::uint32_t at = wave.lds_low / kWordBytes * kWordBytes; at < wave.lds_high; at += kWordBytes) {
        WordHistory& word = group.history[at / kWordBytes];
        if (word.split == 0)
            extend_all(word.all);
        else
            for (ByteHistory& history : group.splits[word.split - 1]) extend_all(history);
    }
}

} // namespace pm::emu
