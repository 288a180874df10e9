#include "tests/certify/certify_rig.h"

#include "peacemaker/object/code_object.h"
#include "tests/isa/llvm_tools.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace pm::testing {
namespace {

/// `.macro NAME ..` with the chip's own spelling.
std::string macros(const Chip& chip) {
    const bool gfx10 = chip.generation == 10, gfx12 = chip.generation == 12;
    const auto wait = [&](const char* name, const char* counter, const char* own) {
        return gfx12 ? fmt::format(".macro {} n\n{} \\n\n.endm\n", name, own)
                     : fmt::format(".macro {} n\ns_waitcnt {}(\\n)\n.endm\n", name, counter);
    };
    const auto memory = [&](const char* name, const char* old_name, const char* new_name, const char* operands) {
        return fmt::format(".macro {} d, a\n{} {}\n.endm\n", name, gfx10 ? old_name : new_name, operands);
    };
    return wait("wait_load", "vmcnt", "s_wait_loadcnt") + wait("wait_ds", "lgkmcnt", "s_wait_dscnt") +
           wait("wait_km", "lgkmcnt", "s_wait_kmcnt") +
           memory("gload", "global_load_dword", "global_load_b32", "\\d, \\a, s[4:5]") +
           memory("gload_lo", "global_load_short_d16", "global_load_d16_b16", "\\d, \\a, s[4:5]") +
           memory("gload_hi", "global_load_short_d16_hi", "global_load_d16_hi_b16", "\\d, \\a, s[4:5]") +
           memory("fload", "flat_load_dword", "flat_load_b32", "\\d, \\a") +
           memory("dsload", "ds_read_b32", "ds_load_b32", "\\d, \\a") +
           memory("dsstore", "ds_write_b32", "ds_store_b32", "\\d, \\a") +
           memory("sload", "s_load_dword", "s_load_b32", "\\d, \\a, 0x0") +
           (gfx12 ? ".macro wait_salu\ns_wait_alu depctr_sa_sdst(0)\n.endm\n" : ".macro wait_salu\n.endm\n") +
           (gfx12 ? ".macro barrier\ns_barrier_signal -1\ns_barrier_wait -1\n.endm\n"
                  : ".macro barrier\ns_barrier\n.endm\n");
}

} // namespace

CodeObject object_of(const Chip& chip, const KernelText& kernel) {
    const auto relocatable = assemble(chip.name, macros(chip) + assembly_of(chip, {kernel}));
    EXPECT_TRUE(relocatable) << relocatable.error().text;
    if (!relocatable) return {};
    const auto linked = link(*relocatable);
    EXPECT_TRUE(linked) << linked.error().text;
    if (!linked) return {};
    auto object = parse_code_object(*linked, "k.co");
    EXPECT_TRUE(object) << object.error().text;
    return object ? std::move(*object) : CodeObject{};
}

certify::KernelCertificate certified(const Chip& chip, KernelText kernel, const certify::Options& options) {
    kernel.name = std::string("k");
    const CodeObject object = object_of(chip, kernel);
    if (object.chip == nullptr) return {};
    auto certificate = certify::certify(object, "*", options);
    EXPECT_TRUE(certificate) << certificate.error().text;
    return certificate ? certificate->kernels.at(0) : certify::KernelCertificate{};
}

certify::KernelCertificate certified(const Chip& chip, const std::string& body) {
    KernelText kernel;
    kernel.body = body;
    kernel.max_block = 64;
    kernel.lds = 1024;
    return certified(chip, kernel);
}

std::vector<std::string> faults_of(const certify::KernelCertificate& certificate) {
    std::vector<std::string> out;
    for (const certify::Open& open : certificate.open) {
        if (!open.fault && (open.kind == certify::kind::kLdsBounds || open.kind == certify::kind::kLdsOrder)) continue;
        out.push_back(fmt::format("{}{}: {}", open.fault ? "" : "open ", open.kind, open.instruction));
    }
    return out;
}

bool lacks_sgpr_waits(std::string_view compiler, std::string_view chip) {
    return compiler == "clang++-19" && chip == "gfx1201";
}

} // namespace pm::testing
