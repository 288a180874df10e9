// The installed programs and the installed CMake package: used from elsewhere, with nothing of this tree.
#include "tests/package/installed.h"

#include <algorithm>

namespace hkc::package {
namespace {

namespace fs = std::filesystem;

class Install : public Installed {};

TEST_F(Install, ProgramsFindTheirPartsBesideThemselves) {
    const fs::path elsewhere = folder("elsewhere");
    const std::string contract = fmt::format("'{}/bin/hip-kernel-contract' ", prefix().string());
    expect(run_in(elsewhere, contract + "--list --filter relu2"), 0, {"kernel relu2 (affine_stream): gfx1030 gfx1100"});
    // The device's library, kernels, compiled objects: the last are kept in the user's cache.
    expect(run_in(elsewhere, contract + "--device embedded --chip gfx1151 --filter relu2"), 0,
           {"SUMMARY gfx1151 1 kernels: 1 pass gates 1-4, 0 fail"});
    EXPECT_TRUE(fs::is_directory(elsewhere / ".cache/hip-kernel-contract/objects"));
    EXPECT_FALSE(fs::exists(prefix() / "share/hip-kernel-contract/.cache"));
    // A program that is called by a link.
    expect(run_in(elsewhere, fmt::format("ln -s '{}/bin/hip-kernel-contract' linked; ./linked --list --filter relu2",
                                         prefix().string())),
           0, {"kernel relu2 (affine_stream)"});
}

TEST_F(Install, PrintsWhatItIs) {
    for (const std::string tool : {"hip-kernel-contract", "hip-kernel-contract-limits", "hip-kernel-contract-records",
                                   "hip-kernel-contract-receipt", "peacemaker"})
        expect(run_in(folder("elsewhere"), fmt::format("'{}/bin/{}' --help", prefix().string(), tool)), 0, {"--help"});
}

TEST_F(Install, HoldsNoPathOfTheBuild) {
    std::size_t seen = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(prefix())) {
        if (entry.is_symlink()) {
            EXPECT_TRUE(fs::read_symlink(entry.path()).is_relative()) << entry.path();
            continue;
        }
        if (!entry.is_regular_file()) continue;
        ++seen;
        const std::string text = text_of_file(entry.path());
        for (const std::string place : {HKC_SOURCE_DIR, HKC_BINARY_DIR})
            EXPECT_EQ(text.find(place + "/"), std::string::npos)
                << entry.path() << ": " << text.substr(text.find(place + "/"), 200);
    }
    EXPECT_GT(seen, 40U);
}

/// The example, copied out of the installation and configured against it.
class ExampleProject : public Installed {
protected:
    void SetUp() override {
        root_ = folder("project") / testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::copy(prefix() / "share/hip-kernel-contract/examples/row-sum", root_, fs::copy_options::recursive);
    }

    [[nodiscard]] std::string configured() const {
        return fmt::format("cmake -S . -B build -DCMAKE_PREFIX_PATH='{}' -DCMAKE_BUILD_TYPE=Release; cmake --build "
                           "build; export HKC_CACHE_DIR='{}';",
                           prefix().string(), (scratch()->path() / "cache").string());
    }

    void replace(const std::string& file, const std::string& from, const std::string& to) const {
        std::string text = text_of_file(root_ / file);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << file << ": " << from;
        std::ofstream(root_ / file, std::ios::binary) << text.replace(at, from.size(), to);
    }

    fs::path root_;
};

TEST_F(ExampleProject, PassesAllItsTests) {
    expect(run_in(root_, configured() + "ctest --test-dir build --verbose"), 0,
           {"SUMMARY gfx1030 1 kernels: 1 pass gates 1-4", "2 controls: 2 red as planted, 0 missed",
            "SUMMARY gfx1100 1 kernels: 1 pass gates 1-4", "SUMMARY gfx1151 1 kernels: 1 pass gates 1-4",
            "SUMMARY gfx1201 1 kernels: 1 pass gates 1-4", "LIMITS clang-22.1.8 gfx1201 1 kernels: 1 as recorded",
            "4 records: 0 problems", "100% tests passed, 0 tests failed out of 6"});
}

TEST_F(ExampleProject, IsRedWhereItsKernelIsWrong) {
    replace("kernels/row_sum.hip", "i += 256", "i += 512");
    expect(run_in(root_, configured() + "ctest --test-dir build --verbose -R '^row_sum.gfx1151$'"), 8,
           {"gfx1151 row_sum gate 3 shapes: outside the oracle", "0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsRedWhereAControlPlantsNoFault) {
    replace("registry/row_sum.toml", "i < n - 1;", "i <= n - 1;");
    expect(run_in(root_, configured() + "ctest --test-dir build --verbose -R '^row_sum.gfx1201$'"), 8,
           {"1 red as planted, 1 missed", "0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsRedWhereARecordIsMissing) {
    fs::remove_all(root_ / "records");
    expect(run_in(root_, configured() + "ctest --test-dir build --verbose -R '^row_sum.records$'"), 8,
           {"0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsToldByCMakeWhatItCalledWrongly) {
    const std::string lists = "CMakeLists.txt", called = "hip_kernel_contract(NAME row_sum ORACLES";
    struct Wrong {
        std::string call, said;
    };
    std::string now = called;
    for (const Wrong& wrong : {Wrong{"hip_kernel_contract(NAME row_sum ORACEL x ORACLES",
                                     "hip_kernel_contract: unknown arguments: ORACEL;x"},
                               Wrong{"hip_kernel_contract(ORACLES", "hip_kernel_contract: NAME is missing"},
                               Wrong{"hip_kernel_contract(NAME row_sum REGISTRY registry ORACLES",
                                     "expected a folder with registry/ and"}}) {
        replace(lists, now, wrong.call);
        now = wrong.call;
        const Finished done = run_in(root_, configured());
        EXPECT_NE(done.exit_status, 0);
        std::string said = done.out;
        std::replace(said.begin(), said.end(), '\n', ' ');
        for (std::size_t at = 0; (at = said.find("  ", at)) != std::string::npos;) said.erase(at, 1);
        EXPECT_NE(said.find(wrong.said), std::string::npos) << wrong.said << " in: " << said;
    }
}

} // namespace
} // namespace hkc::package
