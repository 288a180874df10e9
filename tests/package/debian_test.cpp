// The Debian package: what it holds, what it depends on, and that its programs run where it is unpacked.
#include "tests/package/installed.h"

namespace hkc::package {
namespace {

TEST(Debian, PackageHoldsTheProgramsAndNamesWhatTheyNeed) {
    const ScratchFolder scratch;
    if (run_in(scratch.path(), "command -v dpkg-deb && command -v dpkg-shlibdeps").exit_status != 0)
        GTEST_SKIP() << "dpkg-deb and dpkg-shlibdeps, which make Debian packages, are not here";
    expect(run_in(scratch.path(), fmt::format("cpack -G DEB --config '{}/CPackConfig.cmake' -B made", HKC_BINARY_DIR)),
           0, {"package: ", "generated."});
    expect(run_in(scratch.path(), "mv made/hip-kernel-contract_*_*.deb it.deb"), 0);

    const Finished contents = run_in(scratch.path(), "dpkg-deb -c it.deb");
    expect(contents, 0,
           {" ./usr/bin/hip-kernel-contract\n", " ./usr/bin/hip-kernel-contract-limits\n",
            " ./usr/bin/hip-kernel-contract-records\n", " ./usr/bin/hip-kernel-contract-receipt\n",
            " ./usr/bin/peacemaker\n", " ./usr/lib/hip-kernel-contract/libpm_hip.so\n",
            " ./usr/lib/hip-kernel-contract/hip/libamdhip64.so.5 -> ../libpm_hip.so\n",
            " ./usr/lib/cmake/HipKernelContract/HipKernelContractConfig.cmake\n",
            " ./usr/include/hip-kernel-contract/contract/oracle/plugin.h\n", " ./usr/share/man/man1/peacemaker.1\n",
            " ./usr/share/bash-completion/completions/peacemaker\n",
            " ./usr/share/zsh/vendor-completions/_peacemaker\n",
            " ./usr/share/hip-kernel-contract/registry/affine_stream.toml\n",
            " ./usr/share/doc/hip-kernel-contract/copyright\n"});
    const Finished fields = run_in(scratch.path(), "dpkg-deb -f it.deb Package Architecture Depends Recommends");
    expect(fields, 0,
           {"Package: hip-kernel-contract\n", "Architecture: amd64\n", "libllvm22",
            "libc6 (>= ", "libstdc++6 (>= ", "libfmt", "libzstd1", "clang-22", "libamdhip64-dev", "rocm-device-libs"});

    // The objects are those that the tree's own tests have compiled.
    expect(run_in(scratch.path(),
                  fmt::format("dpkg-deb -x it.deb root; HKC_CACHE_DIR='{}/.cache' root/usr/bin/hip-kernel-contract "
                              "--device embedded --chip gfx1030 --filter relu2 --gates 1-4",
                              HKC_SOURCE_DIR)),
           0, {"SUMMARY gfx1030 1 kernels: 1 pass gates 1-4, 0 fail"});
}

} // namespace
} // namespace hkc::package
