#include "peacemaker/lift/forms.h"

namespace pm::lift {

Result<std::unique_ptr<Forms>> Forms::create(const Chip& chip, std::uint32_t wave) {
    auto disassembler = isa::Disassembler::create(chip, wave);
    if (!disassembler) return disassembler.error();
    auto forms = std::make_unique<Forms>();
    forms->disassembler_ = std::move(*disassembler);
    return forms;
}

std::optional<std::uint32_t> Forms::find(std::string_view bytes, std::uint64_t address) {
    constexpr std::size_t kWord = 4, kUsual = 12;
    for (std::size_t size = kWord; size <= kUsual && size <= bytes.size(); size += kWord)
        if (const auto known = by_bytes_.find(bytes.substr(0, size)); known != by_bytes_.end()) return known->second;
    auto decoded = disassembler_->decode(bytes, address);
    if (!decoded) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(forms_.size());
    std::string encoded = disassembler_->encode(decoded->inst);
    forms_.push_back({std::move(decoded->inst), decoded->size, std::move(encoded)});
    if (decoded->size <= kUsual) by_bytes_.emplace(bytes.substr(0, decoded->size), number);
    return number;
}

} // namespace pm::lift
