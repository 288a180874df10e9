#include "contract/runner/plant.h"

#include <fmt/format.h>

#include <cctype>

namespace hkc {
namespace {

pm::Result<std::string> bytes_of_hex(const std::string& hex) {
    std::string digits;
    for (const char c : hex)
        if (std::isspace(static_cast<unsigned char>(c)) == 0) digits += c;
    if (digits.size() % 2 != 0 || digits.empty() ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        return pm::Error{fmt::format("\"{}\"; expected hex digits, two a byte", hex)};
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

template <typename... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

} // namespace

BuildPlan build_of(const Kernel& kernel) { return {kernel.source, kernel.flags, {}, {}}; }

Planted plant(const Control& control, const Kernel& twin) {
    Planted planted{twin, build_of(twin), nullptr};
    std::visit(Overloaded{
                   [&](const PlantSymbol& p) { planted.kernel.launches.front().symbol = p.symbol; },
                   [&](const PlantArgs& p) { planted.kernel.launches.front().args = p.args; },
                   [&](const PlantParams& p) {
                       for (const auto& [name, value] : p.params) planted.kernel.params[name] = value;
                   },
                   [&](const PlantBuild& p) {
                       if (!p.source.empty()) planted.build.source = p.source;
                       planted.build.defines = p.define;
                       planted.build.edits = p.edit;
                   },
                   [&](const PlantMutate& p) { planted.mutate = &p; },
               },
               control.plant);
    return planted;
}

pm::Result<std::string> mutate_bytes(std::string bytes, const PlantMutate& mutate) {
    const auto find = bytes_of_hex(mutate.find);
    if (!find) return find.error().with("mutate.find");
    const auto replace = bytes_of_hex(mutate.replace);
    if (!replace) return replace.error().with("mutate.replace");
    if (find->size() != replace->size())
        return pm::Error{
            fmt::format("mutate: {} bytes are to replace {}; expected as many", replace->size(), find->size())};
    const std::size_t at = bytes.find(*find);
    if (at == std::string::npos) return pm::Error{fmt::format("mutate: {} does not occur in the object", mutate.find)};
    if (bytes.find(*find, at + 1) != std::string::npos)
        return pm::Error{fmt::format("mutate: {} occurs more than once in the object", mutate.find)};
    bytes.replace(at, replace->size(), *replace);
    return bytes;
}

} // namespace hkc
