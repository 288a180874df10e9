// Access to LDS by bytes: bounds, races (workgroup.h) and initialisation of each. DS and FLAT instructions use it.
#pragma once

#include "peacemaker/emu/wave.h"

#include <cstdint>

namespace pm::emu {

/// Up to four registers of every lane: [word][lane].
using LaneWords = std::uint32_t[4][kLanes];

/// Whether permutations go through all lanes of a wave64, not within each half (RDNA 4 ISA document, DS_BPERMUTE_B32;
/// before: llvm/lib/Target/AMDGPU/GCNSubtarget.h, supportsWaveWideBPermute).
inline bool permutes_whole_wave(const Chip& chip) { return chip.generation >= 12; }

/// Whether the access fits into the LDS that the launch declared; a finding where not.
bool fits_lds(Wave& wave, std::uint32_t lane, std::uint64_t at, std::uint32_t bytes);

/// Reads `bytes` bytes from `at` into the lane's words from `first_word` on, and the masks of their undefined bits.
void read_lds(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, std::uint32_t first_word,
              LaneWords& words, LaneWords& undefined);

/// Reads a run of `bytes` bytes of each lane in `lanes`, from `at[lane]`, as read_lds does. False, and nothing done,
/// where a lane's run is not of whole words or does not fit: then a look at each lane is due.
bool read_lds_words(Wave& wave, std::uint32_t lanes, const std::uint32_t* at, std::uint32_t bytes,
                    std::uint32_t first_word, LaneWords& words, LaneWords& undefined);

/// Writes the lane's registers from `first`, whose values start `shift` bits up, to `bytes` bytes at `at`.
void write_lds(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, Register first,
               std::uint32_t shift);

/// The LDS address that M0 and the offset name for the whole wave. False: the launch stops, since chips may look at 16
/// bits of M0 or at all of them.
bool lds_address_of_wave(Wave& wave, const Inst& inst, std::uint32_t& at);

/// What a load from memory leaves in LDS instead of registers: a dword a lane, at four times the lane's number from
/// lds_address_of_wave. It is there once the wave has waited for the load. `undefined` may be null.
void load_to_lds(Wave& wave, const Inst& inst, const std::uint32_t* words, const std::uint32_t* undefined,
                 std::uint32_t lanes);

/// The row's atomic on one lane: memory becomes what the row's operation says, the lane's words what memory held.
void update_lds(Wave& wave, const Inst& inst, std::uint32_t lane, std::uint64_t at, LaneWords& words,
                LaneWords& undefined);

/// Swaps `bytes` bytes with the registers from `data`; the old ones go to the lane's words from `first_word` on.
void exchange_lds(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t bytes, Register data,
                  std::uint32_t first_word, LaneWords& words, LaneWords& undefined);

/// Adds `value` to four bytes, once for the wave; every lane's word takes what they held. `lane` stands for the wave in
/// findings.
void add_lds(Wave& wave, std::uint32_t lane, std::uint32_t at, std::uint32_t value, LaneWords& words,
             LaneWords& undefined);

} // namespace pm::emu
