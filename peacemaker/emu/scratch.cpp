#include "peacemaker/emu/scratch.h"

#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/global.h"
#include "peacemaker/emu/loads.h"
#include "peacemaker/emu/shadow.h"

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u8 byte_of(const std::vector<u32>& words, u32 lane, u64 offset) {
    return static_cast<u8>(words[offset / 4 * kLanes + lane] >> (8 * (offset % 4)));
}

void set_byte(std::vector<u32>& words, u32 lane, u64 offset, u8 value) {
    u32& word = words[offset / 4 * kLanes + lane];
    const u32 shift = 8 * (offset % 4);
    word = (word & ~(0xffu << shift)) | static_cast<u32>(value) << shift;
}

} // namespace

u32 lanes_in_scratch(Wave& wave, const ScratchOffsets& at, u32 lanes, u32 bytes, bool store) {
    u32 inside = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        if (at[lane] >= 0 && at[lane] + bytes <= wave.scratch.bytes) {
            inside |= 1u << lane;
            continue;
        }
        report(wave, store ? FindingKind::kWriteOutOfBounds : FindingKind::kReadOutOfBounds, lane,
               static_cast<u64>(at[lane]),
               fmt::format("{} bytes at offset {} of {} bytes of scratch", bytes, at[lane], wave.scratch.bytes));
    }
    return inside;
}

void read_scratch(const Wave& wave, const ScratchOffsets& at, u32 lanes, u32 bytes, LaneWords& words,
                  LaneWords& undefined) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((lanes >> lane) & 1u) == 0) continue;
        for (u32 i = 0; i < bytes; ++i) {
            const u64 from = static_cast<u64>(at[lane]) + i;
            words[i / 4][lane] |= static_cast<u32>(byte_of(wave.scratch.words, lane, from)) << (8 * (i % 4));
            undefined[i / 4][lane] |= static_cast<u32>(byte_of(wave.scratch.undefined, lane, from)) << (8 * (i % 4));
        }
    }
}

void write_scratch(Wave& wave, std::int64_t at, u32 lane, u32 bytes, const u32* words, const u32* undefined) {
    for (u32 i = 0; i < bytes; ++i) {
        const u64 to = static_cast<u64>(at) + i;
        set_byte(wave.scratch.words, lane, to, static_cast<u8>(words[i / 4] >> (8 * (i % 4))));
        set_byte(wave.scratch.undefined, lane, to, static_cast<u8>(undefined[i / 4] >> (8 * (i % 4))));
    }
}

void load_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at) {
    const u32 exec = wave.exec(), bytes = inst.row->bytes;
    if (exec == 0) return;
    alignas(64) LaneWords words = {}, undefined = {};
    read_scratch(wave, at, lanes_in_scratch(wave, at, exec, bytes, false), bytes, words, undefined);
    deliver(wave, inst, ReturnClass::kVectorLoad, words, undefined, exec);
}

void store_scratch(Wave& wave, const Inst& inst, const ScratchOffsets& at, u32 lanes, u32 bytes) {
    const u32 inside = lanes_in_scratch(wave, at, lanes, bytes, true);
    for (u32 lane = 0; lane < kLanes; ++lane) {
        if (((inside >> lane) & 1u) == 0) continue;
        u32 words[4], undefined[4];
        stored_words(wave, inst, lane, false, bytes, words);
        stored_words(wave, inst, lane, true, bytes, undefined);
        write_scratch(wave, at[lane], lane, bytes, words, undefined);
    }
}

bool scratch_is_set_up(Wave& wave) {
    if (wave.worker->chip->generation != 10) return true;
    require_defined_scalar(wave, isa::kFlatScratchLo, 2, "the address of scratch");
    const bool defined =
        scalar_undefined(wave, isa::kFlatScratchLo) == 0 && scalar_undefined(wave, isa::kFlatScratchLo + 1) == 0;
    if (defined && wave.scalar64(isa::kFlatScratchLo) != kScratchAperture) {
        stop_unsupported(wave, "unsupported FLAT_SCRATCH (not as the kernel was given it)");
        return false;
    }
    return true;
}

} // namespace pm::emu
