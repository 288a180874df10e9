// A root of a test's own for the command-line tools: one family of one kernel for two chips, the pinned compiler under
// two names.
#pragma once

#include "contract/toolchain/subprocess.h"
#include "contract/toolchain/toolchain.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

class ToolRoot {
public:
    ToolRoot() {
        folder_.write("toolchains.toml", R"(
[[toolchain]]
name = "clang-22.1.8"
kind = "clang"
version = "22.1.8"
pinned = true
compilers = ["clang++-22"]
[[toolchain]]
name = "absent"
kind = "clang"
version = "3.2.1"
compilers = ["hkc-no-such-compiler"]
)");
        folder_.write("registry/small.toml", R"toml(
[family]
name = "small"
source = "small.hip"
flags = ["-O2"]
chips = ["gfx1030", "gfx1151"]

[[kernel]]
name = "small"
oracle = "relu2"
match = "bound"
arg = [
    { name = "v", dir = "in", type = "activation", dims = ["count"] },
    { name = "out", dir = "out", type = "activation", dims = ["count"] },
    { name = "count", type = "i32" },
]
launch = [{ block = [64], grid = ["ceildiv(count, 64)"] }]
shape = [{ count = [64, 65] }]
)toml");
        folder_.write("small.hip",
                      R"(extern "C" __attribute__((global)) void small(const short* v, short* out, int count) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    if (i < count) out[i] = v[i];
}
)");
    }

    [[nodiscard]] const ScratchFolder& folder() const { return folder_; }
    [[nodiscard]] std::filesystem::path records() const { return folder_.path() / "records/clang-22.1.8/small.json"; }

    /// Runs a shell command in the root; $CONTRACT, $LIMITS, $RECORDS and $RECEIPT are the tools.
    hkc::Finished run(const std::string& script) const { return run_in(folder_.path(), script); }

    hkc::Finished run_in(const std::filesystem::path& directory, const std::string& script) const {
        std::vector<std::string> environment = hkc::compiler_environment();
        environment.push_back("HKC_CACHE_DIR=" + (folder_.path() / "cache").string());
        environment.emplace_back("CONTRACT=" HKC_BINARY_DIR "/bin/hip-kernel-contract");
        environment.emplace_back("LIMITS=" HKC_BINARY_DIR "/bin/hip-kernel-contract-limits");
        environment.emplace_back("RECORDS=" HKC_BINARY_DIR "/bin/hip-kernel-contract-records");
        environment.emplace_back("RECEIPT=" HKC_BINARY_DIR "/bin/hip-kernel-contract-receipt");
        auto done = hkc::run({{"/bin/sh", "-c", script}, directory, environment});
        if (!done) {
            ADD_FAILURE() << done.error().text;
            return {};
        }
        return std::move(*done);
    }

private:
    ScratchFolder folder_;
};

/// Exit status and part of what was printed, to either stream.
inline void expect(const hkc::Finished& done, int status, const std::string& part) {
    EXPECT_EQ(done.signal, 0) << done.out << done.err;
    EXPECT_EQ(done.exit_status, status) << done.out << done.err;
    EXPECT_NE((done.out + done.err).find(part), std::string::npos) << part << " in: " << done.out << done.err;
}
