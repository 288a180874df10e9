#include "peacemaker/isa/opcode_name.h"

#include "peacemaker/support/text.h"

#include <array>
#include <vector>

namespace pm::isa {
namespace {

struct AddressingToken {
    std::string_view token;
    Addressing addressing;
};

// MC's suffixes for the ways to form an address (llvm/lib/Target/AMDGPU: FLATInstructions.td, SMInstructions.td, BUFInstructions.td).
constexpr std::array<AddressingToken, 9> kAddressing = {{
    {"SADDR", Addressing::kSaddr},
    {"SVS", Addressing::kSvs},
    {"ST", Addressing::kSt},
    {"IMM", Addressing::kImm},
    {"SGPR", Addressing::kSgpr},
    {"OFFSET", Addressing::kOffset},
    {"OFFEN", Addressing::kOffen},
    {"IDXEN", Addressing::kIdxen},
    {"BOTHEN", Addressing::kBothen},
}};

bool take_addressing(OpcodeName& name, std::string_view token) {
    for (const AddressingToken& a : kAddressing) {
        if (token != a.token) continue;
        const bool both = name.addressing == Addressing::kImm && a.addressing == Addressing::kSgpr;
        name.addressing = both ? Addressing::kSgprImm : a.addressing;
        return true;
    }
    return false;
}

bool take_encoding(OpcodeName& name, std::string_view token) {
    if (token.starts_with("gfx") || token == "e32" || token == "w32" || token == "w64" || token == "t16" ||
        token == "fake16" || token == "twoaddr" || token == "VBUFFER")
        return true;
    if (token == "e64") {
        name.vop3 = true;
        if (name.encoding == Encoding::kPlain) name.encoding = Encoding::kVop3;
        return true;
    }
    if (token == "dpp") return name.encoding = Encoding::kDpp16, true;
    if (token == "dpp8") return name.encoding = Encoding::kDpp8, true;
    if (token == "sdwa") return name.encoding = Encoding::kSdwa, true;
    if (token == "RTN") return name.returns = true;
    return false;
}

} // namespace

OpcodeName parse_opcode_name(std::string_view mc_name) {
    OpcodeName name;
    std::vector<std::string> tokens = split(mc_name, '_');
    const bool memory = !mc_name.starts_with("V_");
    while (tokens.size() > 1 && (take_encoding(name, tokens.back()) || (memory && take_addressing(name, tokens.back()))))
        tokens.pop_back();
    for (const std::string& token : tokens) {
        // The X half of a dual instruction carries its own suffix in the middle.
        if (token == "e32" || token == "e64" || token == "t16" || token == "fake16" || token.starts_with("gfx")) continue;
        if (!name.base.empty()) name.base += '_';
        name.base += token;
    }
    return name;
}

} // namespace pm::isa
