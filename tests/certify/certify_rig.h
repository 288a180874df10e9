// One kernel in assembly, certified. Instructions that the chips call differently are macros: gload, gload_hi,
// gload_lo, dsload, dsstore, sload, wait_load N, wait_ds N, wait_km N, wait_salu, barrier.
#pragma once

#include "peacemaker/certify/certify.h"
#include "peacemaker/chip/chip.h"
#include "tests/emu/kernel_rig.h"

#include <string>
#include <string_view>
#include <vector>

namespace pm::testing {

/// The whole object of one kernel k. Fails the test where it cannot be built.
CodeObject object_of(const Chip& chip, const KernelText& kernel);
/// The certificate of a kernel with that body; two waves a workgroup unless `kernel` says otherwise.
certify::KernelCertificate certified(const Chip& chip, const std::string& body);
certify::KernelCertificate certified(const Chip& chip, KernelText kernel, const certify::Options& options = {});

/// "KIND: INSTRUCTION" of each fault, in order; "open KIND: .." of what was not shown, bounds and order of LDS left
/// out.
std::vector<std::string> faults_of(const certify::KernelCertificate& certificate);

/// clang 19 was released before LLVM knew that gfx12 may hide writes of SGPRs from reads (llvm-project pull request
/// 100067): what it emits for such chips lacks the waits.
bool lacks_sgpr_waits(std::string_view compiler, std::string_view chip);

} // namespace pm::testing
