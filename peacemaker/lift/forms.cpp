#include "peacemaker/lift/forms.h"

#include <algorithm>
#include <cstring>

namespace pm::lift {
namespace {

constexpr std::size_t kWord = 4;          // bytes
constexpr std::size_t kFirstSlots = 4096; // a power of two, as all that follow

} // namespace

Result<std::unique_ptr<Forms>> Forms::create(const Chip& chip, std::uint32_t wave) {
    auto disassembler = isa::Disassembler::create(chip, wave);
    if (!disassembler) return disassembler.error();
    auto forms = std::make_unique<Forms>();
    forms->disassembler_ = std::move(*disassembler);
    forms->slots_.resize(kFirstSlots);
    return forms;
}

Forms::Slot& Forms::slot_of(const Words& words, std::uint32_t count) {
    // Two odd constants without structure: operands differ in few bits, and all of them must count.
    constexpr std::uint64_t kLow = 0x9e3779b97f4a7c15, kHigh = 0xc2b2ae3d27d4eb4f;
    std::uint64_t hash = (std::uint64_t{words[1]} << 32 | words[0]) * kLow;
    hash = (hash ^ hash >> 29 ^ (std::uint64_t{words[2]} << 8 | count)) * kHigh;
    std::size_t at = hash >> 32 & (slots_.size() - 1);
    while (slots_[at].count != 0 && (slots_[at].count != count || slots_[at].words != words))
        at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
}

void Forms::grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.count != 0) slot_of(slot.words, slot.count) = slot;
}

std::optional<std::uint32_t> Forms::find(std::string_view bytes, std::uint64_t address) {
    Words words{};
    const std::size_t most = std::min(bytes.size() / kWord, words.size());
    for (std::size_t i = 0; i < most; ++i) {
        std::memcpy(&words[i], bytes.data() + i * kWord, kWord);
        if (i == 0 && !short_[words[0] >> kHalf]) continue;
        if (const Slot& slot = slot_of(words, static_cast<std::uint32_t>(i + 1)); slot.count != 0) return slot.form;
    }
    auto decoded = disassembler_->decode(bytes, address);
    if (!decoded) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(forms_.size());
    std::string encoded = disassembler_->encode(decoded->inst);
    const bool comes_back = encoded == bytes.substr(0, decoded->size);
    forms_.push_back({std::move(decoded->inst), decoded->size, std::move(encoded), comes_back});
    const std::size_t count = decoded->size / kWord;
    if (count > most || decoded->size % kWord != 0) return number;
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(count), words.end(), 0);
    slot_of(words, static_cast<std::uint32_t>(count)) = {words, static_cast<std::uint32_t>(count), number};
    if (count == 1) short_.set(words[0] >> kHalf);
    // Half full at most, so that a free place is near.
    if (2 * ++used_ > slots_.size()) grow();
    return number;
}

} // namespace pm::lift
