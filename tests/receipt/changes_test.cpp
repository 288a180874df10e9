#include "contract/receipt/changes.h"

#include "contract/report/outcome.h"
#include "contract/runner/declaration.h"
#include "tests/toolchain/scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace hkc::receipt {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kRegistry = R"toml(
[family]
name = "tiles"
source = "tile.hip"
flags = ["-O3"]
chips = ["gfx1151", "gfx1201"]
oracle = "relu2"
match = "bytes"
nan = "bytes"
arg = [
  { name = "v", dir = "in", type = "activation", dims = ["count"], align = 4 },
  { name = "out", dir = "out", type = "activation", dims = ["count"] },
  { name = "count", type = "i32" },
]
launch = [{ block = [32], grid = ["ceildiv(count, 32)"] }]
shape = [{ count = 64, served = true }, { count = 7, ragged = true }]

[[kernel]]
name = "plain"
match = "bound"
nan = "any"
params = { rows = 1 }

[[kernel]]
name = "tile"
replaces = ["plain"]
params = { rows = 2 }
known = [{ gate = 5, chip = "gfx1151", finding = "uses scratch", reason = "slow" }]

[[control]]
name = "a fault"
of = "tile"
plant = { edit = [{ from = "a", to = "b" }] }
red_at = 3
finding = "outside the oracle"
)toml";

Snapshot snapshot(const std::string& text) {
    Snapshot made;
    const auto registry = parse_registry(text, "tiles.toml", {{"relu2", "affine"}, finding_kinds()});
    EXPECT_TRUE(registry) << (registry ? "" : registry.error().text);
    if (!registry) return made;
    for (const Kernel& kernel : registry->kernels) made.kernels.push_back(declaration_of(kernel));
    for (const Control& control : registry->controls) made.controls.push_back(declaration_of(control));
    made.sources["tile.hip"] = "a hash";
    ToolchainSpec clang, hipcc;
    clang.name = "clang";
    clang.version = "22.1.8";
    clang.pinned = true;
    hipcc.name = "hipcc";
    hipcc.version = "5.2";
    made.toolchains = {clang, hipcc};
    records::RecordFile file;
    file.toolchain = "clang";
    file.family = "tiles";
    for (const char* chip : {"gfx1151", "gfx1201"}) {
        records::ChipRecords& records = file.chips[chip];
        records.fingerprint = {{"clang 22"}, {"-O3"}, {}};
        for (const char* symbol : {"plain", "tile"}) {
            pm::Resources resources;
            resources.vgpr = 40;
            resources.sgpr = 20;
            records.kernels[symbol] = resources;
        }
    }
    made.records = {file};
    return made;
}

std::string replaced(std::string from, const std::string& to, std::string text = kRegistry) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Lines texts(const std::vector<Change>& changes) {
    Lines lines;
    for (const Change& change : changes) {
        lines.push_back(change_text(change));
        EXPECT_EQ(change.reason, "");
    }
    return lines;
}

Lines changes(const Snapshot& head) { return texts(contract_changes(snapshot(kRegistry), head)); }
Lines after(const std::string& from, const std::string& to) { return changes(snapshot(replaced(from, to))); }

TEST(ContractChanges, NothingChangedIsNothingTold) { EXPECT_EQ(changes(snapshot(kRegistry)), Lines{}); }

TEST(ContractChanges, WhatAsksForLessIsWeaker) {
    EXPECT_EQ(after("{ count = 7, ragged = true }", "{ count = 9, ragged = true }"),
              Lines{"WEAKER all 2 registrations of tiles: shape count=7 removed"});
    EXPECT_EQ(after(", served = true", ""),
              Lines{"WEAKER all 2 registrations of tiles: shape count=64 no longer served"});
    EXPECT_EQ(after("count = 7, ragged = true", "count = 7"),
              Lines{"WEAKER all 2 registrations of tiles: shape count=7 no longer ragged"});
    EXPECT_EQ(
        after("name = \"tile\"\n", "name = \"tile\"\nmatch = \"bound\"\nnan = \"any\"\n"),
        (Lines{"WEAKER registration tile: match bytes -> bound", "WEAKER registration tile: nan = \"bytes\" removed"}));
    EXPECT_EQ(after("name = \"tile\"\n", "name = \"tile\"\nbitwise = false\n"),
              Lines{"WEAKER registration tile: bitwise true -> false"});
    EXPECT_EQ(texts(contract_changes(snapshot(replaced("name = \"tile\"\n", "name = \"tile\"\ncertify = true\n")),
                                     snapshot(kRegistry))),
              Lines{"WEAKER registration tile: certify true -> false"});
    EXPECT_EQ(after("name = \"tile\"\n", "name = \"tile\"\ncertify = true\n"), Lines{}) << "it asks for more";
    EXPECT_EQ(after("align = 4", "align = 8"), Lines{"WEAKER all 2 registrations of tiles: argument v align 4 -> 8"});
    EXPECT_EQ(after("name = \"plain\"\n",
                    "name = \"plain\"\nknown = [{ gate = 3, chip = \"gfx1201\", finding = \"outside "
                    "the oracle\", reason = \"rounding\" }]\n"),
              Lines{"WEAKER registration plain: known finding \"outside the oracle\" of gate 3 on gfx1201 added: "
                    "rounding"});
    EXPECT_EQ(after("red_at = 3\n", "red_at = 3\ndevice = \"embedded\"\n"),
              Lines{"WEAKER control \"a fault\": device = \"embedded\" added"});
    EXPECT_EQ(after("finding = \"outside the oracle\"\n", "finding = [\"outside the oracle\", \"crash\"]\n"),
              Lines{"WEAKER control \"a fault\": may be red with \"crash\", too"});
    EXPECT_EQ(after("red_at = 3\n", "red_at = 3\nchips = [\"gfx1151\"]\n"),
              Lines{"WEAKER control \"a fault\": chip gfx1201 removed"});
}

TEST(ContractChanges, WhatIsRemovedIsWeaker) {
    const std::string text = kRegistry;
    EXPECT_EQ(changes(snapshot(text.substr(0, text.find("[[control]]")))), Lines{"WEAKER control \"a fault\" removed"});
    EXPECT_EQ(
        after("name = \"tile\"\n", "name = \"tile\"\nchips = [\"gfx1151\"]\n"),
        (Lines{"WEAKER registration tile: chip gfx1201 removed", "WEAKER control \"a fault\": chip gfx1201 removed"}));
    Snapshot head = snapshot(kRegistry);
    head.kernels.erase(head.kernels.begin());
    EXPECT_EQ(changes(head), Lines{"WEAKER registration plain removed"});
    head = snapshot(kRegistry);
    head.toolchains.pop_back();
    EXPECT_EQ(changes(head), Lines{"WEAKER toolchain hipcc removed"});
    head.toolchains.clear();
    EXPECT_EQ(changes(head), (Lines{"WEAKER toolchain clang removed", "WEAKER toolchain hipcc removed"}))
        << "its records go with it";
}

TEST(ContractChanges, WhatAsksForSomethingElseIsChanged) {
    EXPECT_EQ(after("\"-O3\"", "\"-O2\""), Lines{R"(CHANGED all 2 registrations of tiles: flags ["-O3"] -> ["-O2"])"});
    EXPECT_EQ(after("rows = 2", "rows = 3"), Lines{R"(CHANGED registration tile: params {"rows":2} -> {"rows":3})"});
    EXPECT_EQ(after("name = \"tile\"\n", "name = \"tile\"\noracle = \"affine\"\n"),
              Lines{R"(CHANGED registration tile: oracle "relu2" -> "affine")"});
    EXPECT_EQ(after("reason = \"slow\"", "reason = \"fast\""),
              Lines{"CHANGED registration tile: known finding \"uses scratch\" of gate 5 on gfx1151: its reason is "
                    "another one: fast"});
    EXPECT_EQ(after("red_at = 3", "red_at = 2"), Lines{"CHANGED control \"a fault\": red_at 3 -> 2"});
    EXPECT_EQ(after("to = \"b\"", "to = \"c\"").size(), 1U);
    EXPECT_EQ(after("block = [32]", "block = [64]").size(), 2U) << "each launches its own symbol";
    Snapshot head = snapshot(kRegistry);
    head.toolchains[0].version = "22.1.9";
    head.toolchains[0].pinned = false;
    head.toolchains[1].pinned = true;
    head.toolchains[1].chips = {"gfx1030"};
    EXPECT_EQ(changes(head),
              (Lines{"CHANGED toolchain clang: version 22.1.8 -> 22.1.9", "CHANGED toolchain clang: no longer pinned",
                     "CHANGED toolchain hipcc: now pinned", "CHANGED toolchain hipcc: chips all -> gfx1030"}));
}

TEST(ContractChanges, ACruderSourceOfAControlIsChanged) {
    const ScratchFolder folder;
    folder.write("tile.hip", "#include \"common.h\"\n");
    folder.write("common.h", "common\n");
    folder.write("controls/crude.hip", "#include \"common.h\"\n#include \"fault.h\"\na subtle fault\n");
    folder.write("controls/fault.h", "its header\n");
    folder.write("toolchains.toml", "[[toolchain]]\nname = \"clang\"\nkind = \"clang\"\nversion = \"22.1.8\"\n"
                                    "pinned = true\ncompilers = [\"clang++\"]\n");
    auto registry = parse_registry(
        replaced("plant = { edit = [{ from = \"a\", to = \"b\" }] }", "plant = { source = \"controls/crude.hip\" }"),
        "tiles.toml", {{"relu2", "affine"}, finding_kinds()});
    ASSERT_TRUE(registry) << registry.error().text;
    registry->root = folder.path();
    const auto taken = [&] {
        auto made = snapshot_of(*registry);
        EXPECT_TRUE(made) << (made ? "" : made.error().text);
        return made ? *made : Snapshot{};
    };
    const Snapshot before = taken();
    folder.write("common.h", "its kernel's, too\n");
    EXPECT_EQ(texts(contract_changes(before, taken())), Lines{}) << "the kernel changed";
    folder.write("controls/crude.hip", "#include \"fault.h\"\na fault that anyone sees\n");
    const Lines changed{"CHANGED control \"a fault\": the text of its source controls/crude.hip"};
    EXPECT_EQ(texts(contract_changes(before, taken())), changed);
    const Snapshot cruder = taken();
    folder.write("controls/fault.h", "another\n");
    EXPECT_EQ(texts(contract_changes(cruder, taken())), changed) << "its header";
    registry->kernels.back().flags.emplace_back("-Iinc");
    folder.write("controls/crude.hip", "#include <far.h>\n");
    folder.write("inc/far.h", "a subtle fault\n");
    const Snapshot far = taken();
    folder.write("inc/far.h", "a fault that anyone sees\n");
    EXPECT_EQ(texts(contract_changes(far, taken())), changed) << "a header that a flag finds";
}

TEST(ContractChanges, WhatIsAddedOrAsksForMoreIsNone) {
    const Snapshot head = snapshot(kRegistry);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"known = [{ gate = 5, chip = \"gfx1151\", finding = \"uses scratch\", reason = \"slow\" }]\n", ""},
             {"{ count = 7, ragged = true }", "{ count = [7, 9], ragged = true }"},
             {"{ count = 64, served = true }", "{ count = 64, served = true, ragged = true }"},
             {"align = 4", "align = 2"},
         })
        EXPECT_EQ(after(from, to), Lines{}) << to;
    const Snapshot weaker =
        snapshot(replaced("name = \"tile\"\n", "name = \"tile\"\nmatch = \"bound\"\nnan = \"any\"\nbitwise = false\n"));
    EXPECT_EQ(texts(contract_changes(weaker, head)), Lines{});
    Snapshot more = head;
    more.kernels.push_back(more.kernels.back());
    more.kernels.back()["name"] = "another";
    more.controls.push_back(more.controls.back());
    more.controls.back()["name"] = "another fault";
    more.records[0].chips["gfx1151"].kernels["another"] = {};
    EXPECT_EQ(changes(more), Lines{});
}

TEST(ContractChanges, ARecordThatChangesAloneIsWeaker) {
    Snapshot head = snapshot(kRegistry);
    head.records[0].chips["gfx1151"].kernels["tile"].vgpr = 44;
    head.records[0].chips["gfx1151"].kernels["tile"].scratch = 16;
    EXPECT_EQ(changes(head),
              Lines{"WEAKER record clang gfx1151 tile: vgpr 40 -> 44, scratch 0 -> 16, with no change of "
                    "its kernel or toolchain"});
    Snapshot with_source = head;
    with_source.sources["tile.hip"] = "another hash";
    EXPECT_EQ(changes(with_source), Lines{}) << "its source changed";
    Snapshot with_compiler = head;
    with_compiler.records[0].chips["gfx1151"].fingerprint.idents = {"clang 23"};
    with_compiler.toolchains[0].version = "23";
    EXPECT_EQ(changes(with_compiler), Lines{"CHANGED toolchain clang: version 22.1.8 -> 23"}) << "its toolchain";
    head.records[0].chips["gfx1151"].kernels.erase("tile");
    EXPECT_EQ(changes(head), Lines{"WEAKER record clang gfx1151 tile removed"});
    head.records[0].chips.erase("gfx1151");
    EXPECT_EQ(changes(head), Lines{"WEAKER records of clang for tiles on gfx1151 removed"});
    head.records.clear();
    EXPECT_EQ(changes(head), (Lines{"WEAKER records of clang for tiles on gfx1151 removed",
                                    "WEAKER records of clang for tiles on gfx1201 removed"}));
}

// Whoever edits a record by hand can edit its fingerprint, too.
TEST(ContractChanges, AnotherFingerprintOfTheSameToolchainIsChanged) {
    const std::string told = "CHANGED records of clang for tiles on gfx1151: fingerprint ";
    const auto one = [&](const std::function<void(Fingerprint&)>& edit, const std::string& registry) {
        Snapshot head = snapshot(registry);
        records::ChipRecords& records = head.records[0].chips["gfx1151"];
        records.kernels["tile"].vgpr = 44;
        edit(records.fingerprint);
        Lines lines;
        for (const std::string& line : changes(head))
            if (line.find("record") != std::string::npos) lines.push_back(line);
        return lines;
    };
    const std::vector<std::function<void(Fingerprint&)>> edits = {
        [](Fingerprint& print) { print.idents = {"clang 22 "}; },
        [](Fingerprint& print) {
            print.flags = {"-O3", "-g"};
        },
    };
    for (const auto& edit : edits) {
        const Lines lines = one(edit, kRegistry);
        ASSERT_EQ(lines.size(), 1U);
        EXPECT_TRUE(lines[0].starts_with(told)) << lines[0];
        EXPECT_TRUE(lines[0].ends_with(", with no change of toolchains.toml")) << lines[0];
    }
    EXPECT_EQ(one(edits[1], replaced("\"-O3\"", "\"-O3\", \"-g\"")), Lines{}) << "its flags, which are told";
    EXPECT_EQ(one(edits[0], replaced("\"-O3\"", "\"-O3\", \"-g\"")).size(), 1U) << "its compiler, too";
}

// A reason that fits one folder is none for what another one hides.
TEST(CheckerChanges, AreALineAFolderThatNamesEachFile) {
    const ScratchFolder folder;
    const auto run_git = [&](const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"-c", "user.name=tester", "-c", "user.email=tester"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const auto done = git(folder.path(), all);
        ASSERT_TRUE(done && done->succeeded()) << (done ? done->err : done.error().text);
    };
    const std::vector<std::string> files{"CMakeLists.txt",
                                         "CMakePresets.json",
                                         "chips.toml",
                                         "cmake/warnings.cmake",
                                         "contract/gates/a b.cpp",
                                         "contract/gates/x.cpp",
                                         "contract/CMakeLists.txt",
                                         "peacemaker/emu/deep/w.cpp",
                                         "tests/gates/a_test.cpp",
                                         "tests/gates/b_test.cpp",
                                         "tools/dev",
                                         "README.md",
                                         "docs/page.md"};
    for (const std::string& file : files) folder.write(file, "text that stays much the same\nand more of it\n");
    run_git({"init", "-q"});
    run_git({"add", "-A"});
    run_git({"commit", "-q", "-m", "base"});
    const auto base = find_revision(folder.path(), "HEAD");
    ASSERT_TRUE(base) << base.error().text;
    const auto told = [&] {
        const auto changes = checker_changes(folder.path(), *base);
        EXPECT_TRUE(changes) << (changes ? "" : changes.error().text);
        return changes ? texts(*changes) : Lines{};
    };
    EXPECT_EQ(told(), Lines{});
    for (const std::string& file : files)
        folder.write(file, "text that stays much the same\nand more of it\nchanged\n");
    run_git({"mv", "tests/gates/b_test.cpp", "tests/gates/renamed.txt"});
    const auto line = [](const char* of) { return fmt::format("CHANGED the checks themselves, {}", of); };
    EXPECT_EQ(told(), (Lines{line("the top folder: 3 files differ: CMakeLists.txt CMakePresets.json chips.toml"),
                             line("cmake/: 1 files differ: cmake/warnings.cmake"),
                             line("contract/: 1 files differ: contract/CMakeLists.txt"),
                             line("contract/gates/: 2 files differ: contract/gates/a b.cpp contract/gates/x.cpp"),
                             line("peacemaker/emu/: 1 files differ: peacemaker/emu/deep/w.cpp"),
                             line("tests/gates/: 3 files differ: tests/gates/a_test.cpp tests/gates/b_test.cpp "
                                  "tests/gates/renamed.txt"),
                             line("tools/: 1 files differ: tools/dev")}));
}

TEST(Reasons, AreGivenToWhatTheyMatchAndMustMatchSomething) {
    std::vector<Change> some = {{Grade::kWeaker, "registration a: shape n=1 removed", ""},
                                {Grade::kWeaker, "registration b: shape n=1 removed", ""},
                                {Grade::kChanged, "toolchain clang: now pinned", ""}};
    const auto none = give_reasons(some, {{"WEAKER registration ? shape*", "it never was used"}});
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text.find("matches none of 3 contract changes"), std::string::npos);
    ASSERT_TRUE(
        give_reasons(some, {{"WEAKER registration a*", "the first one"}, {"WEAKER *shape*", "the second one"}}));
    EXPECT_EQ(some[0].reason, "the first one");
    EXPECT_EQ(some[1].reason, "the second one");
    EXPECT_EQ(some[2].reason, "");
    for (const char* pattern : {"*\n", "*\xe2\x80\xae"}) {
        const auto hiding = give_reasons(some, {{pattern, "it never was used"}});
        ASSERT_FALSE(hiding);
        EXPECT_NE(hiding.error().text.find("a pattern that hides or turns text"), std::string::npos);
    }
    const auto blank = give_reasons(some, {{"*", " \n"}});
    ASSERT_FALSE(blank);
    EXPECT_NE(blank.error().text.find("is no reason"), std::string::npos) << blank.error().text;
}

TEST(Changes, ALibraryOfOraclesThatTheHeadLacksIsOne) {
    const OracleLibrary a{"a.so", "01"}, b{"b.so", "02"}, other{"a.so", "03"};
    EXPECT_TRUE(oracle_changes({}, {}).empty());
    EXPECT_TRUE(oracle_changes({}, {a}).empty()) << "one more";
    EXPECT_TRUE(oracle_changes({a, b}, {b, a}).empty()) << "no name is in two";
    const auto text = [](const std::vector<Change>& changes) {
        return changes.size() == 1 ? change_text(changes[0]) : fmt::format("{} changes", changes.size());
    };
    EXPECT_EQ(text(oracle_changes({a}, {other})), "CHANGED libraries of oracles: a.so sha256 01 -> a.so sha256 03");
    EXPECT_EQ(text(oracle_changes({a, b}, {b})),
              "CHANGED libraries of oracles: a.so sha256 01, b.so sha256 02 -> b.so sha256 02");
    EXPECT_EQ(text(oracle_changes({a}, {})), "CHANGED libraries of oracles: a.so sha256 01 -> none");
}

} // namespace
} // namespace hkc::receipt
