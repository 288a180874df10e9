#include "peacemaker/emu/global_race.h"

#include "peacemaker/emu/workgroup.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Splits every entry of a history into `parts` equal ones.
template <typename T>
void split(std::vector<T>& entries, u32 parts) {
    std::vector<T> finer;
    finer.reserve(entries.size() * parts);
    for (const T& entry : entries) finer.insert(finer.end(), parts, entry);
    entries = std::move(finer);
}

} // namespace

// The wave's record of this instruction serves again while nobody has acquired since and no barrier came between.
u32 AccessLog::record_of(Wave& wave, bool atomic) {
    u32& last = wave.worker->last_access[wave.pc];
    if (last > last_acquired_.load(std::memory_order_relaxed)) {
        const Record& r = records_[last - 1];
        if (r.workgroup == wave.workgroup_number && r.wave == wave.index && r.waited == wave.barriers_waited &&
            r.signalled == wave.barriers_signalled)
            return last;
    }
    records_.push_back(
        {wave.workgroup_number, wave.index, wave.barriers_waited, wave.barriers_signalled, wave.pc, atomic});
    last = static_cast<u32>(records_.size());
    count_.store(last, std::memory_order_relaxed);
    return last;
}

AccessLog::History& AccessLog::history_of(const Allocation& allocation) {
    const auto [slot, added] = histories_.try_emplace(&allocation);
    History& history = slot->second;
    if (added) history.writes.assign((allocation.size + history.granule - 1) / history.granule, 0);
    return history;
}

bool AccessLog::unordered(u32 old, u32 now, const Wave& wave) const {
    if (old == 0) return false;
    const Record& a = records_[old - 1];
    const Record& b = records_[now - 1];
    if (a.atomic && b.atomic) return false;
    if (old <= wave.group->acquired) return false;
    if (a.workgroup != b.workgroup) return true;
    return a.wave != b.wave && b.waited <= a.signalled;
}

void AccessLog::remember_write(History& history, u64 place, u32 now) const {
    u32& last = history.writes[place];
    if (!records_[now - 1].atomic) {
        if (!history.plain.empty()) history.plain[place] = 0;
    } else if (last != 0 && !records_[last - 1].atomic) {
        if (history.plain.empty()) history.plain.assign(history.writes.size(), 0);
        history.plain[place] = last;
    }
    last = now;
}

void AccessLog::judge(Wave& wave, u32 lane, u64 address, u32 bytes, const Allocation& allocation, History& history,
                      u32 now, AccessKind kind) {
    const u64 first = address - allocation.address;
    while (first % history.granule != 0 || bytes % history.granule != 0) {
        history.granule /= 2;
        split(history.writes, 2);
        split(history.plain, 2);
        split(history.reads, 2);
    }
    const bool writes = kind != AccessKind::kRead;
    if (!writes && history.reads.empty()) history.reads.assign(history.writes.size(), {});
    u32 met = 0;
    bool met_write = false;
    const auto meet = [&](u32 old, bool old_writes) {
        if (met != 0 || !unordered(old, now, wave)) return;
        met = old;
        met_write = old_writes;
    };
    for (u64 i = first / history.granule; i < (first + bytes) / history.granule; ++i) {
        meet(history.writes[i], true);
        if (!history.plain.empty()) meet(history.plain[i], true);
        if (writes) {
            if (!history.reads.empty())
                for (const u32 read : history.reads[i]) meet(read, false);
            remember_write(history, i, now);
            continue;
        }
        auto& reads = history.reads[i];
        const auto same_wave = [&](u32 read) {
            return read != 0 && records_[read - 1].workgroup == wave.workgroup_number &&
                   records_[read - 1].wave == wave.index;
        };
        if (same_wave(reads[0]))
            reads[0] = now;
        else if (same_wave(reads[1]))
            reads[1] = now;
        else
            *std::min_element(reads.begin(), reads.end()) = now;
    }
    if (met == 0) return;
    const Record& other = records_[met - 1];
    const Program& program = *wave.worker->program;
    const bool same_workgroup = other.workgroup == wave.workgroup_number;
    report(wave, FindingKind::kGlobalRace, lane, address,
           fmt::format("{}: {} here and {} by {} by \"{}\" at {:+#x}, with {} between",
                       range_text(*wave.worker->memory, address, bytes), writes ? "written" : "read",
                       met_write ? "written" : "read",
                       same_workgroup ? fmt::format("wave {} of the workgroup", other.wave)
                                      : fmt::format("workgroup {} of the grid", other.workgroup),
                       program.texts[other.inst], program.insts[other.inst].offset,
                       same_workgroup ? "no barrier" : "nothing that orders workgroups"));
}

void AccessLog::note(Wave& wave, const Addresses& at, const Found& found, u32 lanes, u32 bytes, AccessKind kind) {
    const std::lock_guard lock(mutex_);
    const u32 now = record_of(wave, kind == AccessKind::kAtomic);
    const Allocation* last = nullptr;
    History* history = nullptr;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        const Allocation* const allocation = found.allocations[lane];
        if (!allocation->stored_to()) continue;
        if (allocation != last) history = &history_of(*allocation);
        last = allocation;
        judge(wave, lane, at.of[lane], bytes, *allocation, *history, now, kind);
    }
}

void AccessLog::acquire(Wave& wave) {
    const u32 count = count_.load(std::memory_order_relaxed);
    wave.group->acquired = std::max(wave.group->acquired, count);
    u32 before = last_acquired_.load(std::memory_order_relaxed);
    while (before < count && !last_acquired_.compare_exchange_weak(before, count)) {
    }
}

} // namespace pm::emu
