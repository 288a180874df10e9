#include "peacemaker/isa/opcode_name.h"

#include "peacemaker/support/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace pm::isa {
namespace {

struct AddressingToken {
    std::string_view token;
    Addressing addressing;
};

// MC's suffixes for the ways to form an address (llvm/lib/Target/AMDGPU: FLATInstructions.td, SMInstructions.td,
// BUFInstructions.td).
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
    if (token.starts_with("gfx") || token == "vi" || token == "e32" || token == "w32" || token == "w64" ||
        token == "t16" || token == "fake16" || token == "opsel" || token == "twoaddr" || token == "VBUFFER" ||
        token == "format")
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

// MC names some 16-bit instructions of gfx11 and later by the new and the old name run together,
// V_CVT_F16_F32V_CVT_F16_F32_t16_e32. The encoding's suffix follows the old one.
std::string without_second_name(std::string_view mc_name) {
    for (std::size_t at = mc_name.find("V_", 1); at != std::string_view::npos; at = mc_name.find("V_", at + 1)) {
        const char before = mc_name[at - 1];
        if (before < '0' || before > '9') continue; // V_DUAL_MOV_B32_X_.., V_MOV_B32
        const std::size_t suffix =
            std::min({mc_name.find("_e32", at), mc_name.find("_e64", at), mc_name.find("_dpp", at),
                      mc_name.find("_t16", at), mc_name.find("_fake16", at), mc_name.find("_gfx", at)});
        return std::string(mc_name.substr(0, at)) +
               std::string(suffix == std::string_view::npos ? "" : mc_name.substr(suffix));
    }
    return std::string(mc_name);
}

} // namespace

OpcodeName parse_opcode_name(std::string_view mc_name) {
    OpcodeName name;
    std::vector<std::string> tokens = split(without_second_name(mc_name), '_');
    const bool memory = !mc_name.starts_with("V_");
    while (tokens.size() > 1 &&
           (take_encoding(name, tokens.back()) || (memory && take_addressing(name, tokens.back()))))
        tokens.pop_back();
    for (const std::string& token : tokens) {
        // The X half of a dual instruction carries its own suffix in the middle.
        if (token == "e32" || token == "e64" || token == "t16" || token == "fake16" || token.starts_with("gfx"))
            continue;
        if (!name.base.empty()) name.base += '_';
        name.base += token;
    }
    return name;
}

} // namespace pm::isa
