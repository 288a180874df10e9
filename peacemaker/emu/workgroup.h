// What the waves of one workgroup share: LDS with initialisation a byte and race state a word, of whose bytes each has
// its own as soon as they differ, and the barrier.
//
// Order between waves comes from barriers alone. Each wave counts the barriers it has signalled and those it has waited
// for; an access A of one wave precedes an access B of another if B's wave has waited for more barriers than A's had
// signalled when A was complete. Two accesses to a byte, one of them a write, with neither preceding the other, are a
// race; atomics among themselves are none. An access still outstanding when its wave signals is complete only later: it
// takes the later count. What a load from memory writes to LDS is there once the wave has waited for the load; its own
// accesses before that are a race, too.
//
// Not detected: order through atomics (a flag in LDS) is not followed, so code that relies on it is reported; a read of
// the same wave that a later load from memory overwrites.
#pragma once

#include "peacemaker/emu/wave.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pm::emu {

/// One access to one byte, as its race check remembers it.
struct ByteAccess {
    std::uint16_t wave = 0;
    bool there = false, atomic = false;
    bool late = false; // written by a load from memory, which may be outstanding
    std::uint32_t waited = 0, signalled = 0;
    std::uint32_t inst = 0;
    std::uint32_t step = 0; // Wave::step()
};

/// The last write of a byte, and the two latest reads of different waves: enough to judge the next access of any wave.
struct ByteHistory {
    ByteAccess write;
    std::array<ByteAccess, 2> reads;
    ByteAccess plain; // where `write` is atomic, the last write before it that was not: no race of `write` is one of it
};

/// Bytes of LDS that share a history while every access takes all of them and none meets another.
inline constexpr std::uint32_t kWordBytes = 4;
using WordBytes = std::array<ByteHistory, kWordBytes>;

struct WordHistory {
    ByteHistory all;         // of each byte, while there is no split
    std::uint32_t split = 0; // number of its bytes' histories in WorkgroupState::splits, counted from 1; 0: none
};

struct WorkgroupState {
    std::vector<std::uint8_t> lds;
    std::vector<std::uint8_t> undefined; // masks
    std::vector<WordHistory> history;    // by word
    std::vector<WordBytes> splits;
    ByteAccess current;         // of the instruction that accesses LDS now, made once for all its lanes
    std::uint32_t acquired = 0; // device memory: records of AccessLog that precede all that it does now
    std::uint32_t waves = 0;
    std::uint32_t barrier = 0;   // the latest that a wave has signalled, counted from 1
    std::uint32_t signalled = 0; // the waves that have signalled it

    /// `bytes` of LDS, all undefined, no access yet; a workgroup of `waves` waves, no barrier signalled.
    void start(std::uint32_t bytes, std::uint32_t waves);
};

enum class LdsAccess : std::uint8_t { kRead, kWrite, kAtomic, kLateWrite };

/// Judges and remembers an access to `bytes` bytes from `at`; a race is a finding of the current instruction.
void note_access(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, LdsAccess kind);

/// The same for a run of whole words of each lane in `lanes`, from `at[lane]`, a multiple of kWordBytes; `bytes` is
/// one, too.
void note_words(Wave& wave, std::uint32_t lanes, const std::uint32_t* at, std::uint32_t bytes, LdsAccess kind);

/// The wave signals a barrier: what is outstanding counts for the next interval as well.
void signal_barrier(Wave& wave);

} // namespace pm::emu
