// The tool as a user runs it, on registries of a few lines: exit status, lines, report.

#include "tests/sarif/sarif_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel = R"toml(
typedef unsigned short u16;
#define KERNEL extern "C" __attribute__((global)) void
KERNEL square(const u16 *v, u16 *out, int count) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 32 + __builtin_amdgcn_workitem_id_x();
    if (i >= count) return;
    // the value
    const float x = __builtin_bit_cast(float, (unsigned)v[i] << 16);
    const float r = x < 0.0f ? 0.0f : x;
    const unsigned u = __builtin_bit_cast(unsigned, r * r);
    const unsigned rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    out[i] = (u16)(r != r ? (u >> 16) | 0x40u : rounded);
}
)toml";

constexpr const char* kRegistration = R"toml(
[family]
name = "square"
source = "square.hip"
flags = ["-O3"]
chips = ["gfx1151"]

[[kernel]]
name = "square"
oracle = "relu2"
match = "bound"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"] },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ block = [32], grid = ["ceildiv(count, 32)"] }]
shape = [{ count = 1024, served = true }, { count = [1, 67], ragged = true }]
)toml";

struct Ran {
    int status = -1;
    std::string out;
};

class ContractTool : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "hkc-contract-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root = name;
        fs::create_directories(root / "registry");
        fs::copy_file(fs::path(HKC_SOURCE_DIR) / "toolchains.toml", root / "toolchains.toml");
        write("square.hip", kKernel);
        write("registry/square.toml", kRegistration);
    }
    void TearDown() override { fs::remove_all(root); }

    void write(const std::string& file, const std::string& text) const {
        std::ofstream out(root / file);
        out << text;
    }
    void add(const std::string& toml) const {
        std::ofstream out(root / "registry/square.toml", std::ios::app);
        out << toml;
    }
    static std::string read(const fs::path& file) {
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    /// Runs the tool on the test's root; both of its streams are in `out`.
    Ran run(const std::string& options, const std::string& environment = "") const {
        const std::string command = fmt::format("{} {}/bin/hip-kernel-contract --root {} {} 2>&1", environment,
                                                HKC_BINARY_DIR, root.string(), options);
        Ran ran;
        FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr) return ran;
        std::array<char, 4096> chunk{};
        for (std::size_t got = 0; (got = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
            ran.out.append(chunk.data(), got);
        const int status = pclose(pipe);
        ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return ran;
    }
    static bool has(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

    fs::path root;
};

constexpr const char* kOn = "--device embedded ";

TEST_F(ContractTool, AGoodKernelPassesItsGates) {
    const Ran ran = run(std::string(kOn) + "--gates 1-4 --json " + (root / "report.json").string());
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "SUMMARY gfx1151 1 kernels: 1 pass gates 1-4, 0 fail, 0 known findings; 0 controls: 0 red as "
                         "planted, 0 missed; limits not asked\n"))
        << ran.out;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "a pipe gets no colours";
    EXPECT_EQ(ran.out.find('\r'), std::string::npos) << "a pipe gets no progress";
    const auto report = nlohmann::json::parse(read(root / "report.json"));
    EXPECT_EQ(report.at("schema"), 4);
    EXPECT_EQ(report.at("exit_status"), 0);
    EXPECT_EQ(report.at("kernels").at(0).at("status"), "pass");
    for (const auto& gate : report.at("kernels").at(0).at("gates")) {
        EXPECT_GT(gate.at("checks"), 0);
        EXPECT_GT(gate.at("launches"), 0);
    }
    // Guarded and exact on three shapes, one never written, twenty repeats.
    EXPECT_EQ(report.at("summary").at("gfx1151").at("launches").at("2"), 3 * 2 + 1 + 20);
}

TEST_F(ContractTool, WithoutARecordGate5IsUncheckedAndTheRunFails) {
    const Ran ran = run(kOn);
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "unchecked gfx1151 square gate 5 limits")) << ran.out;
    EXPECT_TRUE(has(ran, "0 limit problems, 1 unchecked")) << ran.out;
    EXPECT_EQ(run(std::string(kOn) + "--allow-unchecked").status, 0);
    // Where nothing at all could be asked, nothing is allowed either.
    EXPECT_EQ(run(std::string(kOn) + "--allow-unchecked --gates 5").status, 0 + 1);
}

TEST_F(ContractTool, WhereTheRecordDiffersTheRunSaysHowToRecord) {
    const std::string limits =
        fmt::format("{}/bin/hip-kernel-contract-limits --root {} --toolchain clang-22.1.8 --records all",
                    HKC_BINARY_DIR, root.string());
    const std::string records =
        fmt::format("{}/bin/hip-kernel-contract-records --root {} apply", HKC_BINARY_DIR, root.string());
    ASSERT_EQ(std::system(fmt::format("{} | {} > {}/log 2>&1", limits, records, root.string()).c_str()), 0)
        << read(root / "log");
    const std::string hint =
        fmt::format("if what differs is meant, record it with: hip-kernel-contract-limits --root '{0}' --toolchain "
                    "clang-22.1.8 --records all | hip-kernel-contract-records --root '{0}' apply",
                    root.string());
    const Ran as_recorded = run(kOn);
    EXPECT_EQ(as_recorded.status, 0) << as_recorded.out;
    EXPECT_FALSE(has(as_recorded, "record it with")) << as_recorded.out;
    const fs::path file = root / "records/clang-22.1.8/square.json";
    std::string record = read(file);
    const std::size_t at = record.find("\"vgpr\": ");
    ASSERT_NE(at, std::string::npos) << record;
    record.insert(at + 8, 1, '1');
    write("records/clang-22.1.8/square.json", record);
    const Ran differs = run(kOn);
    EXPECT_EQ(differs.status, 1) << differs.out;
    EXPECT_TRUE(has(differs, "differs from the record")) << differs.out;
    EXPECT_TRUE(has(differs, hint)) << differs.out;
}

TEST_F(ContractTool, EachGateTurnsRedOnItsOwnFault) {
    add(R"toml(
[[control]]
name = "no count"
of = "square"
plant = { args = ["v", "out"] }
red_at = 1
finding = "argument mismatch"
[[control]]
name = "past the end"
of = "square"
plant = { edit = [{ from = "if (i >= count) return;", to = "" }] }
red_at = 2
finding = ["out-of-bounds read", "out-of-bounds write", "guard overwritten"]
[[control]]
name = "one output is left out"
of = "square"
plant = { edit = [{ from = "if (i >= count) return;", to = "if (i >= count || i == 40) return;" }] }
red_at = 2
finding = "output not written"
[[control]]
name = "an input is changed"
of = "square"
plant = { edit = [{ from = "out[i] = (u16)", to = "((u16 *)v)[i] = 0; out[i] = (u16)" }] }
red_at = 2
finding = "read-only memory written"
[[control]]
name = "an input is stored as it was"
of = "square"
plant = { edit = [{ from = "out[i] = (u16)", to = "((volatile u16 *)v)[i] = ((volatile u16 *)v)[i]; out[i] = (u16)" }] }
red_at = 2
finding = "read-only memory written"
[[control]]
name = "no relu"
of = "square"
plant = { edit = [{ from = "x < 0.0f ? 0.0f : x", to = "x" }] }
red_at = 3
finding = "outside the oracle"
[[control]]
name = "a NaN becomes 0"
of = "square"
plant = { edit = [{ from = "x < 0.0f ? 0.0f : x", to = "x > 0.0f ? x : 0.0f" }] }
red_at = 4
finding = "NaN lost"
)toml");
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "7 controls: 7 red as planted, 0 missed")) << ran.out;
}

constexpr const char* kWaitGone = R"toml(
[[control]]
name = "it does not wait for its value"
of = "square"
plant = { mutate = { instruction = "s_waitcnt vmcnt(0)", occurrence = 1, replace = "s_nop 0" } }
red_at = 1
finding = "not certified"
[[control]]
name = "it does not wait for its value, on the device"
of = "square"
plant = { mutate = { instruction = "s_waitcnt vmcnt(0)", occurrence = 1, replace = "s_nop 0" } }
red_at = 2
finding = "register used before its wait"
device = "embedded"
)toml";

TEST_F(ContractTool, WhereACertificateIsDemandedAMissingWaitIsRedAtGate1AndOnTheDeviceAtGate2) {
    std::string registration = kRegistration;
    registration.replace(registration.find("oracle ="), 0, "certify = true\n");
    write("registry/square.toml", registration + kWaitGone);
    const Ran ran = run(std::string(kOn) + "--gates 1-4 --json " + (root / "report.json").string());
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "2 controls: 2 red as planted, 0 missed")) << ran.out;
    EXPECT_TRUE(has(ran, "certify gfx1151: 1 certified, 0 open, 0 unchecked\n")) << ran.out;
    const auto report = nlohmann::json::parse(read(root / "report.json"));
    EXPECT_EQ(report.at("kernels").at(0).at("certificates").dump(),
              R"([{"kernel":"square","reasons":[],"verdict":"certified"}])");
    const auto& finding = report.at("controls").at(0).at("gates").at(0).at("findings").at(0);
    EXPECT_EQ(finding.at("kind"), "not certified");
    EXPECT_NE(finding.at("text").get<std::string>().find("square is open: register read before its wait: +0x"),
              std::string::npos)
        << finding;
    EXPECT_EQ(report.at("controls").at(0).at("gates").at(0).at("launches"), 0) << "nothing was launched";
    // Kept with the build, and the same out of the cache.
    const std::string before = read(root / "report.json");
    EXPECT_EQ(run(std::string(kOn) + "--gates 1-4 --json " + (root / "report.json").string()).status, 0);
    EXPECT_EQ(read(root / "report.json"), before);
    for (const auto& entry : fs::recursive_directory_iterator(root / ".cache/certify"))
        if (entry.is_regular_file()) fs::resize_file(entry.path(), 20);
    EXPECT_EQ(run(std::string(kOn) + "--gates 1-4 --json " + (root / "report.json").string()).status, 0);
    EXPECT_EQ(read(root / "report.json"), before) << "what was kept is damaged";
}

std::string with_variable(const std::string& last_statement) {
    std::string text = kKernel;
    text.insert(text.find("KERNEL square"), "static __attribute__((device)) unsigned left[2];\n");
    const std::size_t before = text.find("    if (i >= count) return;");
    return text.insert(before, last_statement);
}

TEST_F(ContractTool, AVariableOfTheModuleThatALaunchLeavesChangedIsRedAtGate2) {
    write("square.hip", with_variable("    if (i == 0) ((volatile unsigned *)left)[1] = count;\n"));
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "fail gfx1151 square gate 2 memory: undeclared memory changed")) << ran.out;
    EXPECT_FALSE(has(ran, "square gate 3")) << ran.out;
}

TEST_F(ContractTool, AVariableThatEveryLaunchPutsBackIsNone) {
    write("square.hip", with_variable(R"(
    if (__builtin_amdgcn_workitem_id_x() == 0) {
        const unsigned before = __hip_atomic_fetch_add(left, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        if (before + 1 == (count + 31u) / 32u) __hip_atomic_store(left, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
)"));
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "1 pass gates 1-4")) << ran.out;
}

// A wave reads what another one has just written to LDS: no fault where a workgroup is one wave.
TEST_F(ContractTool, ACertificateIsAboutTheWorkgroupsThatAreLaunched) {
    write("square.hip", with_variable(R"(
    __attribute__((shared)) static int swapped[64];
    const int t = __builtin_amdgcn_workitem_id_x();
    swapped[t] = i;
    if (swapped[63 - t] == -1) return;
)"));
    std::string registration = kRegistration;
    registration.replace(registration.find("oracle ="), 0, "certify = true\n");
    write("registry/square.toml", registration);
    EXPECT_TRUE(has(run(std::string(kOn) + "--gates 1"), "certify gfx1151: 1 certified, 0 open, 0 unchecked\n"));
    registration.replace(registration.find("block = [32]"), 12, "block = [64]");
    write("registry/square.toml", registration);
    const Ran two_waves = run(std::string(kOn) + "--gates 1");
    EXPECT_EQ(two_waves.status, 1) << two_waves.out;
    EXPECT_TRUE(has(two_waves, "gate 1 load: not certified: square on gfx1151: square is open: LDS accesses of "
                               "different waves"))
        << two_waves.out;
}

TEST_F(ContractTool, WithoutTheDemandAControlOfCertifyIsMissed) {
    add(kWaitGone);
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "2 controls: 1 red as planted, 1 missed")) << ran.out;
}

TEST_F(ContractTool, WhatIsNotCertifiedIsANoteOrRedWhereItIsDemanded) {
    // Waves whose lanes have all returned do not meet the barrier.
    std::string kernel = kKernel;
    kernel.replace(kernel.find("// the value"), 12, "__builtin_amdgcn_s_barrier();");
    kernel.replace(kernel.find("__attribute__((global)) void"), 28,
                   "__attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(64, 64)))");
    write("square.hip", kernel);
    std::string registration = kRegistration;
    registration.replace(registration.find("block = [32]"), 12, "block = [64]");
    write("registry/square.toml", registration);
    const Ran note = run(std::string(kOn) + "--gates 1");
    EXPECT_TRUE(has(note, "note gfx1151 square: square is open: ")) << note.out;
    EXPECT_TRUE(has(note, "certify gfx1151: 0 certified, 1 open, 0 unchecked\n")) << note.out;
    EXPECT_FALSE(has(note, "not certified")) << note.out;
    registration.replace(registration.find("oracle ="), 0, "certify = true\n");
    write("registry/square.toml", registration);
    const Ran red = run(std::string(kOn) + "--gates 1");
    EXPECT_EQ(red.status, 1) << red.out;
    EXPECT_TRUE(has(red, "fail gfx1151 square gate 1 load: not certified: square on gfx1151: square is open: "))
        << red.out;
    EXPECT_FALSE(has(red, "note ")) << red.out;
}

TEST_F(ContractTool, AControlThatIsAGoodKernelIsMissedAndFailsTheRun) {
    add(R"toml(
[[control]]
name = "nothing is wrong"
of = "square"
plant = { edit = [{ from = "// the value", to = "// its value" }] }
red_at = 3
finding = "outside the oracle"
)toml");
    const std::string log = (root / "log.sarif").string();
    const Ran ran = run(std::string(kOn) + "--gates 1-4 --sarif " + log);
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "missed gfx1151 control \"nothing is wrong\" of square: ")) << ran.out;
    std::ifstream file(log);
    const std::string sarif{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(pm::testing::sarif_faults(sarif), std::vector<std::string>{}) << sarif;
    const auto results = pm::testing::sarif_results(sarif);
    ASSERT_EQ(results.size(), 1U) << sarif;
    EXPECT_EQ(results[0]["ruleId"], "control-missed");
    EXPECT_TRUE(
        results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>().starts_with(
            "registry/"))
        << sarif;
    EXPECT_TRUE(has(ran, "1 controls: 0 red as planted, 1 missed")) << ran.out;
}

TEST_F(ContractTool, AControlThatIsRedElsewhereIsMissed) {
    add(R"toml(
[[control]]
name = "red at gate 2, not 3"
of = "square"
plant = { edit = [{ from = "if (i >= count) return;", to = "" }] }
red_at = 3
finding = "outside the oracle"
[[control]]
name = "red at gate 3, of another kind"
of = "square"
plant = { edit = [{ from = "x < 0.0f ? 0.0f : x", to = "x" }] }
red_at = 3
finding = "NaN lost"
)toml");
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "is red at gate 2 with")) << ran.out;
    EXPECT_TRUE(has(ran, "is red there with \"outside the oracle\"")) << ran.out;
    EXPECT_TRUE(has(ran, "2 controls: 0 red as planted, 2 missed")) << ran.out;
}

constexpr const char* kEndless = R"toml(
[[control]]
name = "it never ends"
of = "square"
plant = {{ edit = [{{ from = "if (i >= count) return;", to = "while (i < count) __builtin_amdgcn_s_sleep(1);" }}] }}
red_at = 1
finding = "{}"
)toml";

TEST_F(ContractTool, AHangIsATimeOutAndRedOnlyWhereItIsPlanted) {
    add(fmt::format(kEndless, "time-out"));
    const Ran ran = run(std::string(kOn) + "--filter 'it never*' --timeout 3");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "1 controls: 1 red as planted")) << ran.out;
}

TEST_F(ContractTool, AHangThatIsNotPlantedIsMissed) {
    add(fmt::format(kEndless, "HIP error"));
    const Ran ran = run(std::string(kOn) + "--filter 'it never*' --timeout 3");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "is red there with \"time-out\"")) << ran.out;
}

TEST_F(ContractTool, ACrashCostsItsRegistrationAndFailsIt) {
    const Ran ran = run(std::string(kOn) + "--gates 1-4",
                        fmt::format("HKC_EMBEDDED_DEVICE={}/lib/libcontract_device.so", HKC_BINARY_DIR));
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "fail gfx1151 square gate 1 load: crash: ")) << ran.out;
    EXPECT_TRUE(has(ran, "signal 11")) << ran.out;
    EXPECT_TRUE(has(ran, "unchecked gfx1151 square gate 2 memory")) << ran.out;
    EXPECT_TRUE(has(ran, "1 kernels: 0 pass gates 1-4, 1 fail")) << ran.out;
}

TEST_F(ContractTool, AnInstructionThatTheDeviceDoesNotKnowIsUncheckedNeverAPass) {
    std::string kernel = kKernel;
    kernel.replace(kernel.find("// the value"), 12, "asm volatile(\"ds_gws_barrier %0 gds\" :: \"v\"(i));");
    write("square.hip", kernel);
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "unchecked gfx1151 square gate 1")) << ran.out;
    EXPECT_TRUE(has(ran, "unsupported instruction ds_gws_barrier")) << ran.out;
    EXPECT_TRUE(has(ran, "0 pass gates 1-4, 0 fail, 0 known findings, 1 unchecked")) << ran.out;
}

TEST_F(ContractTool, AKnownFindingThatNoLongerOccursIsStale) {
    std::string registration = kRegistration;
    registration += "known = [{ gate = 3, chip = \"gfx1151\", finding = \"outside the oracle\", reason = \"once\" }]\n";
    write("registry/square.toml", registration);
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "stale known finding")) << ran.out;
}

TEST_F(ContractTool, SelectingNothingIsNeverAPass) {
    for (const char* options : {"--filter nothing", "--filter nothing --list", "--filter nothing --allow-unchecked"}) {
        const Ran ran = run(std::string(kOn) + options);
        EXPECT_EQ(ran.status, 2) << ran.out;
        EXPECT_TRUE(has(ran, "nothing selected")) << ran.out;
    }
}

TEST_F(ContractTool, BadUsageAndBadRegistriesAreStatus2) {
    for (const std::string options :
         {"--gates 9", "--no-such-option", "--chip gfx9999", "--device gpu", "--device 2", "--jobs 0",
          "--toolchain gcc", "--seed -1", "--seed x", "--seed 18446744073709551616", "--timeout 0"})
        for (const std::string list : {"", " --list"}) {
            const Ran ran = run(options + list);
            EXPECT_EQ(ran.status, 2) << options << list << "\n" << ran.out;
        }
    for (const char* option : {"--json", "--junit", "--sarif"}) {
        const Ran nowhere = run(fmt::format("{} {} {}", kOn, option, (root / "none/report").string()));
        EXPECT_EQ(nowhere.status, 2) << nowhere.out;
        EXPECT_TRUE(has(nowhere, "there is no folder " + (root / "none").string())) << nowhere.out;
        EXPECT_FALSE(fs::exists(root / "none")) << option;
    }
    write("square.hip", "this is no kernel");
    const Ran broken = run(kOn);
    EXPECT_EQ(broken.status, 2) << broken.out;
    EXPECT_TRUE(has(broken, "square.hip")) << broken.out;
    add("nonsense = \n");
    const Ran registry = run("--list");
    EXPECT_EQ(registry.status, 2) << registry.out;
    EXPECT_TRUE(has(registry, "square.toml:")) << registry.out;
}

TEST_F(ContractTool, DevicesAreToldByTheirNames) {
    for (const char* options : {"--device gpu", "--help"}) {
        const Ran ran = run(options);
        EXPECT_TRUE(has(ran, "{auto,embedded,rocm}")) << ran.out;
        EXPECT_FALSE(has(ran, "->")) << ran.out;
        for (const char c : ran.out) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
    }
}

TEST_F(ContractTool, AChipThatNoKernelHasIsNamedWithThoseThatThereAre) {
    for (const std::string list : {"", " --list"}) {
        // gfx1201 is a chip, of which nothing is under contract.
        for (const std::string chip : {"gfx1152", "gfx1201", "gfx1151,gfx1152"}) {
            const Ran ran = run("--chip " + chip + list);
            EXPECT_EQ(ran.status, 2) << ran.out;
            EXPECT_TRUE(
                has(ran, "chip \"gfx1" + chip.substr(chip.size() - 3) +
                             "\": no registration names it (did you mean \"gfx1151\"?); expected gfx1151, or all"))
                << ran.out;
            EXPECT_FALSE(has(ran, "nothing selected")) << ran.out;
        }
    }
}

TEST_F(ContractTool, AToolchainThatIsNotThereIsNamedWithTheNearest) {
    for (const std::string list : {"", " --list"}) {
        const Ran ran = run("--toolchain clang-22.1.9" + list);
        EXPECT_EQ(ran.status, 2) << ran.out;
        EXPECT_TRUE(has(ran, "clang-22.1.9")) << ran.out;
        EXPECT_TRUE(has(ran, "did you mean \"clang-22.1.8\"?")) << ran.out;
    }
}

TEST_F(ContractTool, APlantedBuildThatDoesNotCompileNamesItsControl) {
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    const auto before = lines(read(root / "registry/square.toml"));
    add(R"toml([[control]]
name = "it lacks a semicolon"
of = "square"
plant = { edit = [{ from = "if (i >= count) return;", to = "if (i >= count) return" }] }
red_at = 2
finding = "out-of-bounds read"
)toml");
    const Ran ran = run(std::string(kOn) + "--gates 1-4");
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(
        has(ran, fmt::format("registry/square.toml:{}: control \"it lacks a semicolon\": its planted build does "
                             "not compile: square.hip:8:5: error: expected expression\n",
                             before + 1)))
        << ran.out;
    // A control of another gate is not built, and the source itself is whole.
    EXPECT_EQ(run(std::string(kOn) + "--gates 1").status, 0);
}

TEST_F(ContractTool, AMissingToolchainOrDeviceIsStatus3) {
    const Ran no_device = run("--device embedded", "HKC_EMBEDDED_DEVICE=/nowhere/libpm_hip.so");
    EXPECT_EQ(no_device.status, 3) << no_device.out;
    EXPECT_TRUE(has(no_device, "/nowhere/libpm_hip.so")) << no_device.out;
    write("toolchains.toml", "[[toolchain]]\nname = \"other-1.0\"\nkind = \"clang\"\nversion = \"1.0\"\npinned = true\n"
                             "compilers = [\"/nowhere/other-clang\"]\n");
    const Ran no_toolchain = run(kOn);
    EXPECT_EQ(no_toolchain.status, 3) << no_toolchain.out;
    EXPECT_TRUE(has(no_toolchain, "other-1.0")) << no_toolchain.out;
}

TEST_F(ContractTool, RocmWithoutACardSaysSo) {
    if (fs::exists("/dev/kfd")) GTEST_SKIP() << "this machine has a GPU driver";
    const Ran ran = run("--device rocm");
    EXPECT_EQ(ran.status, 3) << ran.out;
    EXPECT_TRUE(has(ran, "no HIP device")) << ran.out;
    EXPECT_TRUE(has(ran, "libamdhip64.so")) << ran.out;
    EXPECT_EQ(run("--device auto --gates 1").status, 0) << "without a card, auto takes the embedded device";
}

TEST_F(ContractTool, AnObjectMayNotReplaceItsReportWithHalfOfOne) {
    fs::create_directories(root / "report.json"); // a folder cannot be replaced by a file
    const Ran ran = run(std::string(kOn) + "--gates 1 --json " + (root / "report.json").string());
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, "report.json")) << ran.out;
}

TEST_F(ContractTool, ListShowsRegistrationsExpanded) {
    const Ran ran = run("--list --filter 'affine_stream_relu2_w4_r8x2' --root " HKC_SOURCE_DIR);
    EXPECT_EQ(ran.status, 2) << "a root may be given once";
    const Ran own = run("--list");
    EXPECT_EQ(own.status, 0) << own.out;
    EXPECT_EQ(own.out, "kernel square (square): gfx1151; 3 shapes; oracle relu2\n");
    // As in a run, a control belongs to the gate that it must be red at.
    add(R"toml(
[[control]]
name = "no relu"
of = "square"
plant = { edit = [{ from = "x < 0.0f ? 0.0f : x", to = "x" }] }
red_at = 3
finding = "outside the oracle"
)toml");
    EXPECT_TRUE(has(run("--list --gates 3"), "control \"no relu\" of square"));
    EXPECT_FALSE(has(run("--list --gates 1-2"), "control"));
}

/// A second registration and controls that are red, missed, and unchecked.
constexpr const char* kMore = R"toml(
[[kernel]]
name = "square_again"
oracle = "relu2"
match = "bound"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"] },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ symbol = "square", block = [32], grid = ["ceildiv(count, 32)"] }]
shape = [{ count = 7, ragged = true }, { count = 64, served = true }]
[[control]]
name = "past the end"
of = "square"
plant = { edit = [{ from = "if (i >= count) return;", to = "" }] }
red_at = 2
finding = ["out-of-bounds read", "out-of-bounds write", "guard overwritten"]
[[control]]
name = "nothing is wrong"
of = "square_again"
plant = { edit = [{ from = "// the value", to = "// its value" }] }
red_at = 3
finding = "outside the oracle"
)toml";

class ShardTool : public ContractTool {
protected:
    void SetUp() override {
        ContractTool::SetUp();
        add(kMore);
    }
    std::string file(const std::string& name) const { return (root / name).string(); }
    Ran shard(const std::string& shard, const std::string& options = "") const {
        std::string name = shard;
        std::replace(name.begin(), name.end(), '/', '_');
        return run(fmt::format("{} --shard {} --json {} {}", kOn, shard, file(name + ".json"), options));
    }
    Ran merge(const std::string& arguments) const {
        return run(fmt::format("merge -o {} {}", file("merged.json"), arguments));
    }
};

TEST_F(ShardTool, AMergedReportIsTheReportOfOneWholeRun) {
    const Ran whole = run(fmt::format("{} --json {} --junit {}", kOn, file("whole.json"), file("whole.xml")));
    EXPECT_EQ(whole.status, 1) << whole.out;
    EXPECT_TRUE(has(whole, "1 missed")) << whole.out;
    for (const char* part : {"1/3", "2/3", "3/3"}) (void)shard(part);
    const Ran merged = merge(fmt::format("--chip all --junit {} {} {} {}", file("merged.xml"), file("3_3.json"),
                                         file("1_3.json"), file("2_3.json")));
    EXPECT_EQ(merged.status, whole.status) << merged.out;
    // The commands that record are those of this run's tree.
    std::string said = whole.out;
    const std::string root_option = fmt::format(" --root '{}'", root.string());
    for (std::size_t at = 0; (at = said.find(root_option)) != std::string::npos;) said.erase(at, root_option.size());
    EXPECT_EQ(merged.out, said);
    EXPECT_FALSE(read(file("whole.json")).empty());
    EXPECT_EQ(read(file("merged.json")), read(file("whole.json")));
    EXPECT_EQ(read(file("merged.xml")), read(file("whole.xml")));
    EXPECT_NE(read(file("whole.xml")).find("<failure type=\"missed\""), std::string::npos);
    EXPECT_NE(read(file("whole.xml")).find("<error type=\"unchecked\""), std::string::npos);
}

TEST_F(ShardTool, AReportIsAPageAndAPlot) {
    for (const char* part : {"1/2", "2/2"}) (void)shard(part);
    const std::string shards = file("1_2.json") + ' ' + file("2_2.json");
    const Ran shown = run(fmt::format("report --html {} --plot {}", file("page.html"), shards), "LC_ALL=C");
    EXPECT_EQ(shown.status, 0) << shown.out;
    EXPECT_TRUE(has(shown, "gfx1151 square\n  VGPR    #")) << shown.out;
    EXPECT_FALSE(has(shown, "quotes no source lines")) << shown.out;
    EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
    const std::string page = read(file("page.html"));
    EXPECT_NE(page.find("nothing is wrong"), std::string::npos);
    EXPECT_NE(page.find("<mark>"), std::string::npos) << "the source line of a control's finding";
    EXPECT_TRUE(has(run("report --plot " + shards, "LC_ALL=C.UTF-8"), "  VGPR    █"));
    const Ran same = run(fmt::format("report --plot {0} --base {0}", file("1_2.json")));
    EXPECT_EQ(same.status, 2) << "a shard alone is no run";

    write("registry/square.toml", std::string(kRegistration));
    const Ran elsewhere = run(fmt::format("report --html {} {}", file("page.html"), shards));
    EXPECT_EQ(elsewhere.status, 0);
    EXPECT_TRUE(has(elsewhere, "the tree here is not that of the report")) << elsewhere.out;
    EXPECT_EQ(read(file("page.html")).find("<mark>"), std::string::npos);
}

TEST_F(ShardTool, AReportThatCannotBeShownIsBadUsage) {
    (void)shard("1/2");
    write("text.json", "no report");
    for (const auto& [options, said] :
         {std::pair<std::string, std::string>{"report " + file("1_2.json"), "expected --html FILE, --plot, or both"},
          {"report --plot", "reports is required"},
          {"report --plot " + file("none.json"), "none.json"},
          {"report --plot " + file("text.json"), "text.json"},
          {"report --plot " + file("1_2.json"), "missing: shard 2/2 on gfx1151"},
          {"report --html " + file("no/page.html") + ' ' + file("1_2.json"), "no"}}) {
        const Ran ran = run(options);
        EXPECT_EQ(ran.status, 2) << options << '\n' << ran.out;
        EXPECT_TRUE(has(ran, said)) << ran.out;
    }
}

TEST_F(ShardTool, AMissingDoubledOrForeignShardIsAnErrorThatNamesIt) {
    for (const char* part : {"1/2", "2/2"}) (void)shard(part);
    const Ran missing = merge(file("1_2.json"));
    EXPECT_EQ(missing.status, 2) << missing.out;
    EXPECT_TRUE(has(missing, "missing: shard 2/2 on gfx1151")) << missing.out;
    const Ran doubled = merge(fmt::format("{0} {1} {0}", file("1_2.json"), file("2_2.json")));
    EXPECT_EQ(doubled.status, 2) << doubled.out;
    EXPECT_TRUE(has(doubled, "1_2.json: doubled")) << doubled.out;
    write("toolchains.toml", read(root / "toolchains.toml") + "\n");
    (void)shard("2/2");
    const Ran foreign = merge(file("1_2.json") + " " + file("2_2.json"));
    EXPECT_EQ(foreign.status, 2) << foreign.out;
    EXPECT_TRUE(has(foreign, "2_2.json: foreign: its registry with sources and records is ")) << foreign.out;
    EXPECT_FALSE(fs::exists(root / "merged.json"));
    const Ran none = merge(file("none.json"));
    EXPECT_EQ(none.status, 2) << none.out;
    EXPECT_TRUE(has(none, "none.json")) << none.out;
}

TEST_F(ShardTool, AShardThatCannotBeIsBadUsage) {
    for (const char* part : {"0/2", "3/2", "x"}) EXPECT_EQ(shard(part).status, 2) << part;
    const Ran empty = shard("5/5");
    EXPECT_EQ(empty.status, 2) << empty.out;
    EXPECT_TRUE(has(empty, "shard 5/5 holds nothing: 4 registrations and controls are selected")) << empty.out;
    EXPECT_EQ(shard("1/2", "--base HEAD").status, 2) << "a comparison is of whole runs";
}

} // namespace
