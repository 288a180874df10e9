// Races in device memory among the waves of one launch.
//
// An access of one workgroup precedes one of another if the other has acquired since: by an atomic that returns, by a
// load at device scope, or by an invalidation of the caches that workgroups share. Within a workgroup order comes from
// barriers, as in LDS (workgroup.h). Two accesses to a byte, one of them a write, with neither before the other, are a
// race, unless both are atomic; loads at device scope count as atomic. A store that leaves its bytes as they are is no
// access: waves may agree on a value.
//
// Not detected: an acquire that no release pairs with; what an allocation's readers read before the first store that
// any launch makes to it; scalar loads. Before gfx12 an atomic store is an ordinary instruction, so that two workgroups
// which store different values to one place are reported even if both stores are atomic.
//
// Source: llvm/docs/AMDGPUUsage.rst, "Memory Model GFX10-GFX11" and "GFX12" (which instructions an acquire is made of).
#pragma once

#include "peacemaker/emu/global.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace pm::emu {

enum class AccessKind : std::uint8_t { kRead, kWrite, kAtomic };

/// The accesses of a launch to allocations that kernels store to. All of its workers share one; safe from all of them.
class AccessLog {
public:
    /// Judges and remembers the access that the current instruction of `wave` made to `bytes` bytes in each of `lanes`;
    /// a race is a finding of it.
    void note(Wave& wave, const Addresses& at, const Found& found, std::uint32_t lanes, std::uint32_t bytes,
              AccessKind kind);
    /// All that other workgroups have done so far precedes what that of `wave` does from here on.
    void acquire(Wave& wave);

private:
    struct Record {
        std::uint64_t workgroup = 0;
        std::uint32_t wave = 0, waited = 0, signalled = 0; // barriers
        std::uint32_t inst = 0;
        bool atomic = false;
    };
    /// Of every run of `granule` bytes the last write and the two latest reads of different waves, as record numbers;
    /// 0: none.
    struct History {
        std::uint32_t granule = 4;
        std::vector<std::uint32_t> writes;
        std::vector<std::uint32_t> plain; // where that is atomic, the last one before it that was not; empty while none
        std::vector<std::array<std::uint32_t, 2>> reads; // empty while there is no read
    };

    std::uint32_t record_of(Wave& wave, bool atomic);
    History& history_of(const Allocation& allocation);
    bool unordered(std::uint32_t old, std::uint32_t now, const Wave& wave) const;
    void remember_write(History& history, std::uint64_t place, std::uint32_t now) const;
    void judge(Wave& wave, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes, const Allocation& allocation,
               History& history, std::uint32_t now, AccessKind kind);

    std::mutex mutex_;
    std::vector<Record> records_; // number n is at n - 1
    std::unordered_map<const Allocation*, History> histories_;
    std::atomic<std::uint32_t> count_{0};         // of records
    std::atomic<std::uint32_t> last_acquired_{0}; // records before the latest acquire of any workgroup
};

} // namespace pm::emu
