#include "tests/emu/kernel_rig.h"

#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace pm::testing {
namespace {

constexpr const char* kMacrosUpTo11 = R"(
.macro wait_vm n
    s_waitcnt vmcnt(\n)
.endm
.macro wait_lgkm n
    s_waitcnt lgkmcnt(\n)
.endm
.macro wait_scalar
    s_waitcnt lgkmcnt(0)
.endm
.macro wait_all
    s_waitcnt vmcnt(0) lgkmcnt(0)
.endm
)";
constexpr const char* kMacros12 = R"(
.macro wait_vm n
    s_wait_loadcnt \n
.endm
.macro wait_lgkm n
    s_wait_dscnt \n
.endm
.macro wait_scalar
    s_wait_kmcnt 0
.endm
.macro wait_all
    s_wait_loadcnt 0
    s_wait_dscnt 0
    s_wait_kmcnt 0
.endm
)";

bool has_buffer_resource(const Chip& chip, const KernelText& k) { return chip.generation == 10 && k.scratch != 0; }

std::string prologue(const Chip& chip, const KernelText& k) {
    if (chip.generation >= 12)
        return "  s_lshr_b32 s12, ttmp7, 16\n  s_and_b32 s11, ttmp7, 0xffff\n  s_mov_b32 s10, ttmp9\n  s_mov_b64 "
               "s[8:9], s[0:1]\n";
    // s[0:3] the resource, s[4:5] kernarg, s[6:7] flat scratch, s8..s10 the workgroup, s11 the wave's offset.
    if (has_buffer_resource(chip, k))
        return std::string(k.flat_scratch ? "  s_add_u32 s6, s6, s11\n  s_addc_u32 s7, s7, 0\n"
                                            "  s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6\n"
                                            "  s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s7\n"
                                          : "") +
               "  s_mov_b32 s12, s10\n  s_mov_b32 s11, s9\n  s_mov_b32 s10, s8\n  s_mov_b64 s[8:9], s[4:5]\n";
    return "  s_mov_b32 s12, s4\n  s_mov_b32 s11, s3\n  s_mov_b32 s10, s2\n  s_mov_b64 s[8:9], s[0:1]\n";
}

std::uint32_t kernarg_of(const KernelText& k) { return k.kernarg != 0 ? k.kernarg : 8 * k.pointers; }

std::string descriptor(const Chip& chip, const KernelText& k) {
    const bool resource = has_buffer_resource(chip, k);
    std::string text = fmt::format(".amdhsa_kernel {}\n", k.name);
    text += fmt::format(
        "  .amdhsa_group_segment_fixed_size {}\n  .amdhsa_private_segment_fixed_size {}\n  .amdhsa_kernarg_size {}\n",
        k.lds, k.scratch, kernarg_of(k));
    text += fmt::format("  .amdhsa_user_sgpr_count {}\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n", resource ? 8 : 2);
    if (resource) text += "  .amdhsa_user_sgpr_private_segment_buffer 1\n  .amdhsa_user_sgpr_flat_scratch_init 1\n";
    if (k.scratch != 0)
        text += chip.generation == 10 ? "  .amdhsa_system_sgpr_private_segment_wavefront_offset 1\n"
                                      : "  .amdhsa_enable_private_segment 1\n";
    text += fmt::format("  .amdhsa_wavefront_size32 {}\n", k.wave64 ? 0 : 1);
    text += "  .amdhsa_system_sgpr_workgroup_id_x 1\n  .amdhsa_system_sgpr_workgroup_id_y 1\n"
            "  .amdhsa_system_sgpr_workgroup_id_z 1\n";
    text +=
        fmt::format("  .amdhsa_system_vgpr_workitem_id {}\n  .amdhsa_next_free_vgpr {}\n  .amdhsa_next_free_sgpr 100\n",
                    k.ids, k.vgprs);
    text += fmt::format("  .amdhsa_float_denorm_mode_32 {}\n", k.flush ? 0 : 3);
    return text + k.directives + ".end_amdhsa_kernel\n";
}

std::string metadata(const KernelText& k) {
    std::string text = fmt::format(
        "  - .name: {0}\n    .symbol: {0}.kd\n    .kernarg_segment_size: {1}\n    .kernarg_segment_align: 8\n"
        "    .group_segment_fixed_size: {2}\n    .private_segment_fixed_size: {3}\n    .wavefront_size: {6}\n"
        "    .sgpr_count: 100\n    .vgpr_count: {4}\n    .max_flat_workgroup_size: {5}\n    .args:\n",
        k.name, kernarg_of(k), k.lds, k.scratch, k.vgprs, k.max_block, k.wave64 ? 64 : 32);
    for (std::uint32_t i = 0; i < k.pointers; ++i)
        text += fmt::format(
            "      - .name: p{}\n        .offset: {}\n        .size: 8\n        .value_kind: by_value\n", i, 8 * i);
    if (k.dynamic_stack) text.insert(text.find("    .args:"), "    .uses_dynamic_stack: true\n");
    return text + k.more_arguments;
}

} // namespace

std::string assembly_of(const Chip& chip, const std::vector<KernelText>& kernels) {
    const std::string target = "amdgcn-amd-amdhsa--" + chip.name;
    std::string code = fmt::format(".amdgcn_target \"{}\"\n.amdhsa_code_object_version 5\n", target);
    code += chip.generation >= 12 ? kMacros12 : kMacrosUpTo11;
    std::string descriptors = ".section .rodata,\"a\",@progbits\n";
    std::string notes =
        fmt::format(".amdgpu_metadata\n---\namdhsa.version: [ 1, 2 ]\namdhsa.target: {}\namdhsa.kernels:\n", target);
    code += ".text\n";
    for (const KernelText& k : kernels) {
        code += fmt::format(".globl {0}\n.p2align 8\n.type {0},@function\n{0}:\n", k.name) + prologue(chip, k) + k.body;
        code += fmt::format("\n  s_endpgm\n.L{0}_end:\n.size {0}, .L{0}_end-{0}\n", k.name);
        descriptors += ".p2align 6\n" + descriptor(chip, k);
        notes += metadata(k);
    }
    return code + descriptors + notes + "...\n.end_amdgpu_metadata\n";
}

Rig::Rig(const Chip& chip, const std::vector<KernelText>& kernels) {
    const auto object = assemble(chip.name, assembly_of(chip, kernels), kernels.front().wave64 ? 64 : 32);
    if (!object) {
        ADD_FAILURE() << object.error().text;
        return;
    }
    const auto linked = link(*object);
    if (!linked)
        ADD_FAILURE() << linked.error().text;
    else
        load(*linked);
}

Rig::Rig(std::string_view code_object) { load(code_object); }

void Rig::append(std::vector<std::byte>& bytes, const void* value, std::size_t size) {
    const std::size_t at = (bytes.size() + size - 1) / size * size;
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, value, size);
}

void Rig::load(std::string_view code_object) {
    auto parsed = parse_code_object(code_object, "the test's object");
    if (!parsed) {
        ADD_FAILURE() << parsed.error().text;
        return;
    }
    auto loaded = emu::load_module(std::move(*parsed), memory);
    if (!loaded)
        ADD_FAILURE() << loaded.error().text;
    else
        module_ = *loaded;
}

emu::Report Rig::launch(const std::string& kernel, const std::vector<std::byte>& kernarg,
                        std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block, std::uint32_t threads) {
    emu::LaunchRequest request;
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    request.kernarg = kernarg;
    request.threads = threads;
    auto report = launch(request);
    if (report) return *report;
    ADD_FAILURE() << report.error().text;
    return {};
}

std::string text_of(const emu::Report& report) {
    std::string text;
    for (const emu::Finding& f : report.findings)
        text += fmt::format("{} at {} (x{}): {}\n", emu::finding_kind_name(f.kind), f.instruction, f.count, f.detail);
    for (const std::string& u : report.unsupported) text += "unsupported: " + u + "\n";
    return text;
}

std::vector<emu::FindingKind> kinds_of(const emu::Report& report) {
    std::vector<emu::FindingKind> kinds;
    for (const emu::Finding& f : report.findings) kinds.push_back(f.kind);
    return kinds;
}

} // namespace pm::testing
