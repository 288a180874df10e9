#include "peacemaker/emu/unsupported.h"

#include <algorithm>
#include <iterator>

namespace pm::emu {
namespace {

constexpr std::string_view kGraphicsMemory =
    "global data share and its registers serve graphics stages (RDNA ISA documents, \"GDS and GWS\")";
constexpr std::string_view kNamedBarrier =
    "named barriers: RDNA 4 has the workgroup's and the trap handler's alone (RDNA 4 ISA document, \"Barrier state\")";

constexpr Unsupported kRows[] = {
    {"_TFE", true,
     "texel fault enable: of partially resident textures (RDNA ISA documents, buffer instruction fields)"},
    {"DS_GWS_", true, "global wave sync: HIP gives a launch none of it (RDNA ISA documents, \"GDS and GWS\")"},
    {"DS_ORDERED_COUNT", true, kGraphicsMemory},
    {"DS_ADD_GS_REG", true, kGraphicsMemory},
    {"DS_SUB_GS_REG", true, kGraphicsMemory},
    {"S_RFE_B64", true, "for trap handlers alone (RDNA ISA documents, S_RFE_B64)"},
    {"S_ENDPGM_SAVED", true, "for the trap handler that saves a wave (RDNA ISA documents, S_ENDPGM_SAVED)"},
    {"S_ENDPGM_ORDERED_PS_DONE", true, "for pixel shaders (RDNA ISA documents, S_ENDPGM_ORDERED_PS_DONE)"},
    {"S_SETKILL", true, "tests a debugger's command to kill a wave (RDNA ISA documents, S_SETKILL)"},
    {"S_BARRIER_INIT", true, kNamedBarrier},
    {"S_BARRIER_JOIN", true, kNamedBarrier},
    {"S_BARRIER_LEAVE", true, kNamedBarrier},
    {"S_BARRIER_SIGNAL_M0", true, kNamedBarrier},
    {"S_BARRIER_SIGNAL_ISFIRST_M0", true, kNamedBarrier},
    {"S_GET_BARRIER_STATE_M0", true, kNamedBarrier},
    {"_inreg", false, "interpolation within quads, for pixel shaders: no compiler makes it of a kernel"},
    {"V_INTERP_", true,
     "reads attributes of a triangle, which pixel shaders alone have (RDNA ISA documents, V_INTERP)"},
    {"_PARAM_LOAD", true,
     "reads attributes of a triangle, which pixel shaders alone have (RDNA ISA documents, \"LDS parameter load\")"},
    {"_DIRECT_LOAD", false, "a dword of LDS for all lanes, counted as an export"},
    {"V_ILLEGAL", true, "stands for words that are no instruction (llvm/lib/Target/AMDGPU/VOP1Instructions.td)"},
    {"V_MOVREL", false, "registers counted from M0 under DPP or SDWA: no compiler makes it"},
    {"S_SENDMSGHALT", false, "a message and a halt, which a debugger or a trap handler ends"},
    {"S_ALLOC_VGPR", false, "a number of VGPRs that changes"},
    {"S_SUBVECTOR_LOOP", false, "a loop over the halves of a wave64"},
    {"DS_BVH_STACK", false, "ray tracing: goes with IMAGE_BVH instructions, which are not executed"},
    {"GLOBAL_ATOMIC_ORDERED_ADD", false, "ordered by wave numbers that a launch here does not have"},
    {"GLOBAL_LOAD_TR_", false, "no document says which lane takes which element"},
};

} // namespace

const Unsupported* why_unsupported(std::string_view base_name) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Unsupported& u) {
        return base_name.find(u.name) != std::string_view::npos;
    });
    return row == std::end(kRows) ? nullptr : row;
}

} // namespace pm::emu
