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

/// CMake breaks the lines of its messages.
std::string in_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    for (std::size_t at = 0; (at = text.find("  ", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

/// The example, copied out of the installation and built against it once; each test begins with the files as installed.
class ExampleProject : public Installed {
public:
    static void SetUpTestSuite() {
        Installed::SetUpTestSuite();
        copy_sources();
        expect(run_in(root(), configure() + "; cmake --build build"), 0, {"Built target row_sum_oracles"});
    }

protected:
    void SetUp() override { copy_sources(); }

    static fs::path root() { return scratch()->path() / "project"; }

    static void copy_sources() {
        fs::create_directories(root());
        for (const auto& entry : fs::directory_iterator(prefix() / "share/hip-kernel-contract/examples/row-sum")) {
            fs::remove_all(root() / entry.path().filename());
            fs::copy(entry.path(), root() / entry.path().filename(), fs::copy_options::recursive);
        }
    }

    static std::string configure() {
        return fmt::format("cmake -S . -B build -DCMAKE_PREFIX_PATH='{}' -DCMAKE_BUILD_TYPE=Release",
                           prefix().string());
    }
    static std::string ctest(const std::string& options) {
        return fmt::format("HKC_CACHE_DIR='{}' ctest --test-dir build --verbose {}",
                           (scratch()->path() / "cache").string(), options);
    }

    static void replace(const std::string& file, const std::string& from, const std::string& to) {
        std::string text = text_of_file(root() / file);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << file << ": " << from;
        std::ofstream(root() / file, std::ios::binary) << text.replace(at, from.size(), to);
    }
};

TEST_F(ExampleProject, PassesAllItsTests) {
    expect(run_in(root(), ctest("-j 2")), 0,
           {"SUMMARY gfx1030 1 kernels: 1 pass gates 1-4", "2 controls: 2 red as planted, 0 missed",
            "SUMMARY gfx1100 1 kernels: 1 pass gates 1-4", "SUMMARY gfx1151 1 kernels: 1 pass gates 1-4",
            "SUMMARY gfx1201 1 kernels: 1 pass gates 1-4", "LIMITS clang-22.1.8 gfx1201 1 kernels: 1 as recorded",
            "4 records: 0 problems", "100% tests passed, 0 tests failed out of 6"});
}

TEST_F(ExampleProject, IsRedWhereItsKernelIsWrong) {
    replace("kernels/row_sum.hip", "i += 256", "i += 512");
    expect(run_in(root(), ctest("-R '^row_sum.gfx1151$'")), 8,
           {"gfx1151 row_sum gate 3 shapes: outside the oracle", "0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsRedWhereAControlPlantsNoFault) {
    replace("registry/row_sum.toml", "i < n - 1;", "i <= n - 1;");
    expect(run_in(root(), ctest("-R '^row_sum.gfx1201$'")), 8,
           {"1 red as planted, 1 missed", "0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsRedWhereARecordIsMissing) {
    fs::remove_all(root() / "records");
    expect(run_in(root(), ctest("-R '^row_sum.records$'")), 8, {"0% tests passed, 1 tests failed out of 1"});
}

TEST_F(ExampleProject, IsToldByCMakeWhatItCalledWrongly) {
    const std::string call = "hip_kernel_contract(NAME row_sum ORACLES row_sum_oracles";
    for (const auto& [wrong, said] :
         {std::pair<std::string, std::string>{"hip_kernel_contract(NAME row_sum ORACEL row_sum_oracles",
                                              "unknown arguments: ORACEL;row_sum_oracles"},
          {"hip_kernel_contract(ORACLES row_sum_oracles", "NAME is missing"},
          {"hip_kernel_contract(NAME row_sum ORACLES", "without a value: ORACLES"},
          {"hip_kernel_contract(NAME row_sum ORACLES row_sum_oracle", "ORACLES row_sum_oracle: neither a target"},
          {call + " DEVICE gpu", "DEVICE gpu: expected auto, rocm or embedded"},
          {call + " REGISTRY registry", "expected a folder with registry/ and toolchains.toml"}}) {
        copy_sources();
        replace("CMakeLists.txt", call, wrong);
        const Finished done = run_in(root(), configure());
        EXPECT_NE(done.exit_status, 0);
        EXPECT_NE(in_one_line(done.out).find(said), std::string::npos) << said << " in: " << done.out;
    }
}

TEST_F(ExampleProject, IsToldByCMakeWhereItFindsThePackageTooLate) {
    replace("CMakeLists.txt", "find_package(HipKernelContract REQUIRED)", "add_subdirectory(below)");
    fs::create_directories(root() / "below");
    std::ofstream(root() / "below/CMakeLists.txt") << "find_package(HipKernelContract REQUIRED)\n";
    const Finished done = run_in(root(), configure());
    EXPECT_NE(done.exit_status, 0);
    EXPECT_NE(in_one_line(done.out).find("find_package(HipKernelContract) was called in another folder"),
              std::string::npos)
        << done.out;
}

} // namespace
} // namespace hkc::package
