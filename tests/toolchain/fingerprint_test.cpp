#include "contract/toolchain/fingerprint.h"

#include <gtest/gtest.h>

namespace {

using Words = std::vector<std::string>;

struct Case {
    const char* what;
    Words given;
    Words kept;
};

TEST(Fingerprint, KeepsTheFlagsThatChangeCode) {
    const std::vector<Case> cases = {
        {"code flags, in order", {"-O3", "-O0", "-std=c++20"}, {"-O3", "-O0", "-std=c++20"}},
        {"macros whole, paths in them too",
         {"-DX", "-DY=/a/b", "-D", "Z=1", "-U", "W"},
         {"-DX", "-DY=/a/b", "-DZ=1", "-UW"}},
        {"no include folders", {"-I", "a", "-Ib", "-isystem", "c", "-iquote", "d", "-O2", "-include", "e.h"}, {"-O2"}},
        {"no output and no dependency names",
         {"-o", "x.o", "-MD", "-MF", "x.d", "-MT", "x", "-c", "-v", "-O1"},
         {"-O1"}},
        {"no chip", {"--offload-arch=gfx1151", "--no-gpu-bundle-output", "-g"}, {"-g"}},
        {"no files", {"kernels/a.hip", "-O3", "/tmp/x.hip"}, {"-O3"}},
        {"no paths behind a flag",
         {"--rocm-path=/opt/rocm", "-fprofile-use=/a/b", "-w"},
         {"--rocm-path=", "-fprofile-use=", "-w"}},
        {"words that belong together",
         {"-x", "hip", "-mllvm", "-amdgpu-foo=1", "-Xclang", "-bar"},
         {"-x hip", "-mllvm -amdgpu-foo=1", "-Xclang -bar"}},
        {"a last flag without its word", {"-O3", "-mllvm"}, {"-O3", "-mllvm"}},
        {"machine flags",
         {"-mno-wavefrontsize64", "-mcumode", "-ffp-contract=off"},
         {"-mno-wavefrontsize64", "-mcumode", "-ffp-contract=off"}},
    };
    for (const Case& one : cases) EXPECT_EQ(hkc::normalised_flags(one.given), one.kept) << one.what;
}

TEST(Fingerprint, DependsOnCompilersAndFlagsAndNotOnTheLinker) {
    const Words idents = {"Linker: LLD 22", "clang version 22", "device libs 15", "clang version 22"};
    const hkc::Fingerprint made = hkc::make_fingerprint(idents, Words{"-O3", "-I/x"});
    EXPECT_EQ(made.idents, (Words{"clang version 22", "device libs 15"}));
    EXPECT_EQ(made.linkers, (Words{"Linker: LLD 22"}));
    EXPECT_EQ(made.text(), "clang version 22 + device libs 15 with -O3");

    EXPECT_EQ(made, hkc::make_fingerprint(Words{"device libs 15", "clang version 22", "Linker: LLD 19"}, Words{"-O3"}));
    EXPECT_NE(made, hkc::make_fingerprint(Words{"clang version 22"}, Words{"-O3"}));
    EXPECT_NE(made, hkc::make_fingerprint(idents, Words{"-O2"}));
    EXPECT_NE(made, hkc::make_fingerprint(idents, Words{"-O3", "-DX"}));
}

TEST(Fingerprint, NamesWhatIsNotThere) { EXPECT_EQ(hkc::Fingerprint{}.text(), "an unnamed compiler with no flags"); }

} // namespace
