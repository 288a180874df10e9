// hip-kernel-contract-receipt, on git repositories of two commits.

#include "contract/project/project.h"
#include "contract/receipt/markdown.h"
#include "contract/receipt/verify.h"
#include "contract/runner/form.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"
#include "tests/tools/contract_repository.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <regex>
#include <set>

#include <sys/file.h>

namespace {

using namespace contract_repository;
using Json = nlohmann::ordered_json;

constexpr const char* kControl = R"toml(
[[control]]
name = "it cubes"
of = "square"
plant = { edit = [{ from = "(unsigned, r * r)", to = "(unsigned, r * r * r)" }] }
red_at = 3
finding = "outside the oracle"
)toml";

/// The receipt's text after a change, as if it had been made so: the runs in it are sealed, too.
std::string sealed(Json json) {
    for (const char* side : {"head", "base"})
        if (json.contains(side) && json.at(side).at("run").is_object())
            json.at(side).at("run") = Json::parse(hkc::sealed_report(json.at(side).at("run")));
    json.erase("sha256");
    json["sha256"] = pm::sha256_hex(json.dump(1));
    return json.dump(1) + "\n";
}

class ReceiptTool : public ContractRepository {
protected:
    void SetUp() override {
        ContractRepository::SetUp();
        write_registry("", "");
        // As receipts of the tree itself: whatever is asked can be.
        const Ran recorded = shell(fmt::format(
            "{0}/hip-kernel-contract-limits --root {1} --toolchain clang-22.1.8 --records all --allow-unchecked | "
            "{0}/hip-kernel-contract-records --root {1} apply",
            kBin, root().string()));
        ASSERT_EQ(recorded.status, 0) << recorded.out;
        commit("first");
    }

    void write_registry(const std::string& from, const std::string& to) const {
        std::string text = std::string(kRegistration) + kControl;
        if (!from.empty()) {
            const std::size_t at = text.find(from);
            ASSERT_NE(at, std::string::npos) << from;
            text.replace(at, from.size(), to);
        }
        folder_.write("repository/contracts/registry/square.toml", text);
    }
    Ran shell(const std::string& script) const {
        return Running(fmt::format("{} sh -c \"{}\"", environment(), script)).end();
    }
    fs::path out() const { return folder_.path() / "out"; }
    Ran make(const std::string& options) const {
        return Running(fmt::format("{} {}/hip-kernel-contract-receipt --root {} --device embedded --out {} {}",
                                   environment(), kBin, root().string(), out().string(), options))
            .end();
    }
    Ran verify(const std::string& options = "") const {
        return Running(fmt::format("{} {}/hip-kernel-contract-receipt verify --root {} {}", environment(), kBin,
                                   root().string(), options.empty() ? file("receipt.json") : options))
            .end();
    }
    std::string file(const std::string& name) const { return (out() / name).string(); }
    Json receipt() const { return Json::parse(text_of_file(out() / "receipt.json")); }
    void write_receipt(const std::string& text) const { folder_.write("out/receipt.json", text); }

    static constexpr const char* kBin = HKC_BINARY_DIR "/bin";
};

TEST_F(ReceiptTool, AGoodHeadGivesAReceiptThatVerifiesAsJsonAndInsideAPullRequest) {
    write_registry("{ count = 7, ragged = true }", "{ count = [7, 9], ragged = true }");
    commit("second");
    const Ran made = make("--base first");
    EXPECT_EQ(made.status, 0) << made.out;
    EXPECT_TRUE(has(made.out, "All is as contracted.")) << made.out;
    EXPECT_TRUE(has(made.out,
                    "    SUMMARY gfx1151 1 kernels: 1 pass gates 1-4, 0 fail, 0 known findings; 1 controls: 1 "
                    "red as planted, 0 missed; 0 limit problems\n"))
        << made.out;
    EXPECT_TRUE(has(made.out, "    LIMITS clang-22.1.8 gfx1151 1 kernels: 1 as recorded, 0 limit problems"))
        << made.out;
    EXPECT_TRUE(has(made.out, "- gfx1151: not run on a card; the embedded device executed ")) << made.out;
    EXPECT_TRUE(has(made.out, "| `square` | gfx1151 | gates 1-5 pass | certified | it cubes: red as planted |"))
        << made.out;
    EXPECT_EQ(text_of_file(out() / "receipt.md"), made.out);
    const Json json = receipt();
    EXPECT_EQ(json.at("head").at("commit").get<std::string>() + "\n", git("rev-parse second"));
    EXPECT_EQ(json.at("base").at("commit").get<std::string>() + "\n", git("rev-parse first"));
    EXPECT_NE(json.at("head").at("run").at("inputs"), json.at("base").at("run").at("inputs"));
    EXPECT_TRUE(json.at("changes").empty()) << "a shape more is no change";

    const Ran plain = verify();
    EXPECT_EQ(plain.status, 0) << plain.out;
    for (const char* line : {"verified commit ", "verified contract changes since ",
                             "verified objects, certificates and audit of head and base, built again\n"})
        EXPECT_TRUE(has(plain.out, line)) << plain.out;
    std::string pull_request = "What this does: nothing.\n\n" + made.out + "\nThanks\n";
    pull_request = std::regex_replace(pull_request, std::regex("\n"), "\r\n");
    folder_.write("out/pr.md", pull_request);
    const Ran text = verify("--rerun 1 " + file("pr.md"));
    EXPECT_EQ(text.status, 0) << text.out;
    EXPECT_TRUE(has(text.out, "verified run again: square\n")) << text.out;
    EXPECT_TRUE(has(text.out, "verified the text, line by line\n")) << text.out;
    folder_.write("out/edited.md", std::regex_replace(made.out, std::regex("gates 1-5 pass"), "gates 1-6 pass"));
    const Ran edited = verify(file("edited.md"));
    EXPECT_TRUE(has(edited.out, "of the receipt's text reads ")) << edited.out;
    EXPECT_FALSE(has(edited.out, "verified the text")) << edited.out;
    expect_nothing_is_left();
}

TEST_F(ReceiptTool, TheSameReceiptComesOutAgainAndOfAMergedReport) {
    write_registry("{ count = 7, ragged = true }", "{ count = [7, 9], ragged = true }");
    commit("second");
    EXPECT_EQ(make("--base first").status, 0);
    const std::string first = text_of_file(out() / "receipt.json");
    ASSERT_TRUE(fs::exists(root() / ".cache/base"));
    EXPECT_EQ(make("--base first").status, 0);
    EXPECT_EQ(text_of_file(out() / "receipt.json"), first) << "the base's side was kept";
    for (const auto& entry : fs::recursive_directory_iterator(root() / ".cache/base"))
        if (entry.is_regular_file()) fs::resize_file(entry.path(), 100);
    EXPECT_EQ(make("--base first").status, 0);
    EXPECT_EQ(text_of_file(out() / "receipt.json"), first) << "what was kept is damaged";

    const std::string run = fmt::format("{}/hip-kernel-contract --root {} --device embedded", kBin, root().string());
    const Ran merged = shell(fmt::format("{0} --shard 1/2 --json {1} && {0} --shard 2/2 --json {2} && "
                                         "{3}/hip-kernel-contract merge {1} {2} -o {4}",
                                         run, file("1.json"), file("2.json"), kBin, file("whole.json")));
    EXPECT_EQ(merged.status, 0) << merged.out;
    EXPECT_EQ(make("--base first --run " + file("whole.json")).status, 0);
    EXPECT_EQ(text_of_file(out() / "receipt.json"), first);
    const Ran shard = make("--base first --run " + file("1.json"));
    EXPECT_EQ(shard.status, 2) << shard.out;
    EXPECT_TRUE(has(shard.out, "it is of shard 1/2; hip-kernel-contract merge makes the whole")) << shard.out;
    git("commit -q --allow-empty -m third");
    const Ran foreign = make("--base first --run " + file("whole.json"));
    EXPECT_EQ(foreign.status, 2) << foreign.out;
    EXPECT_TRUE(has(foreign.out, "the given report is not of this head: it is of commit ")) << foreign.out;
}

TEST_F(ReceiptTool, ProblemsAreNewGoneOrIdentical) {
    write_faulty_kernel();
    commit("faulty");
    const Ran brings = make("--base first");
    EXPECT_EQ(brings.status, 1) << brings.out;
    EXPECT_TRUE(has(brings.out, "NOT as contracted:")) << brings.out;
    EXPECT_TRUE(has(brings.out, "- new: fail gfx1151 square gate 3 shapes: outside the oracle: ")) << brings.out;
    const Ran refused = verify();
    EXPECT_EQ(refused.status, 1) << refused.out;
    EXPECT_TRUE(has(refused.out, "fault: the receipt says itself: gates or controls of the head are not as contracted"))
        << refused.out;
    write_kernel("", "");
    commit("mended");
    const Ran mends = make("--base faulty");
    EXPECT_EQ(mends.status, 0) << mends.out;
    EXPECT_TRUE(has(mends.out, "- gone: fail gfx1151 square gate 3 shapes: outside the oracle: ")) << mends.out;
    EXPECT_EQ(verify().status, 0) << verify().out;
}

TEST_F(ReceiptTool, AWeakerContractNeedsAReasonInTheReceipt) {
    write_registry("{ count = 64, served = true }", "{ count = 96, served = true }");
    commit("weaker");
    const Ran bare = make("--base first");
    EXPECT_EQ(bare.status, 1) << bare.out;
    EXPECT_TRUE(has(bare.out, "- WEAKER registration square: shape count=64 removed: NO REASON GIVEN")) << bare.out;
    EXPECT_EQ(verify().status, 1) << verify().out;
    EXPECT_TRUE(has(verify().out, "fault: the receipt says itself: 1 contract changes have no reason")) << verify().out;
    const Json listed = receipt();
    for (const char* nothing : {"", "  ", "TODO", "no reason given", "x"}) {
        Json unreasoned = listed;
        for (Json& change : unreasoned.at("changes")) change.at("reason") = nothing;
        unreasoned.at("exit_status") = 0;
        write_receipt(sealed(unreasoned));
        EXPECT_TRUE(has(verify().out, "fault: the receipt says itself: 1 contract changes have no reason")) << nothing;
    }
    Json hidden = listed;
    hidden.at("changes") = Json::array();
    hidden.at("exit_status") = 0;
    write_receipt(sealed(hidden));
    EXPECT_TRUE(has(verify().out,
                    "fault: a contract change that the receipt does not list: WEAKER registration square: "
                    "shape count=64 removed"))
        << verify().out;

    const Ran wrong = make("--base first --reason 'WEAKER control*' 'none such'");
    EXPECT_EQ(wrong.status, 2) << wrong.out;
    EXPECT_TRUE(has(wrong.out, "--reason \"WEAKER control*\" matches none of 1 contract changes")) << wrong.out;
    EXPECT_EQ(make("--base first --reason 'WEAKER*' ' '").status, 2) << "an empty reason";
    const Ran reasoned = make("--base first --reason 'WEAKER*shape*' 'the model has 96'");
    EXPECT_EQ(reasoned.status, 0) << reasoned.out;
    EXPECT_TRUE(has(reasoned.out, "- WEAKER registration square: shape count=64 removed: because the model has 96"))
        << reasoned.out;
    EXPECT_EQ(verify().status, 0) << verify().out;

    // What the receipt says of how to repeat it makes the same one.
    const std::string quoted = "the model'\\''s \"rows\" are 96";
    ASSERT_EQ(make("--base first --reason 'WEAKER*shape*' '" + quoted + "'").status, 0);
    const std::string first = text_of_file(out() / "receipt.json"), text = text_of_file(out() / "receipt.md");
    EXPECT_EQ(receipt().at("changes").at(0).at("reason"), "the model's \"rows\" are 96");
    std::smatch command;
    ASSERT_TRUE(std::regex_search(
        text, command, std::regex("\n    hip-kernel-contract-receipt (--base .*\\\\\n        --reason .*)\n")))
        << text;
    std::string again = command[1];
    EXPECT_TRUE(has(again, "\n        --reason 'WEAKER*shape*' ")) << "the pattern as it was given: " << again;
    const std::string device = " --device embedded"; // make() gives it, too
    ASSERT_NE(again.find(device), std::string::npos) << again;
    again.erase(again.find(device), device.size());
    fs::remove(out() / "receipt.json");
    EXPECT_EQ(make(again).status, 0);
    EXPECT_EQ(text_of_file(out() / "receipt.json"), first);
    ASSERT_TRUE(std::regex_search(text, command,
                                  std::regex("\n    hip-kernel-contract-receipt verify receipt.json (--base .*)\n")))
        << text;
    EXPECT_EQ(verify(file("receipt.json") + " " + command[1].str()).status, 0);
}

TEST_F(ReceiptTool, AnotherCommitADirtyTreeAndAMissingControlAreFaults) {
    ASSERT_EQ(make("--base first").status, 0);
    const Json good = receipt();
    write_kernel("typedef unsigned short u16;", "typedef unsigned short u16; // changed");
    const Ran dirty = verify();
    EXPECT_EQ(dirty.status, 1) << dirty.out;
    EXPECT_TRUE(has(dirty.out, "fault: the checkout is dirty: contracts/square.hip")) << dirty.out;

    write_kernel("typedef unsigned short u16;", "this is no kernel;\nnor is this;");
    const Ran unbuilt = verify();
    EXPECT_EQ(unbuilt.status, 1) << unbuilt.out;
    EXPECT_TRUE(has(unbuilt.out, "\nfault: it does not build: square.hip:2:1: error: expected unqualified-id; "
                                 "hip-kernel-contract prints the rest\n"))
        << unbuilt.out;
    std::size_t errors = 0;
    for (std::size_t at = unbuilt.out.find("error: "); at != std::string::npos;
         at = unbuilt.out.find("error: ", at + 1))
        ++errors;
    EXPECT_EQ(errors, 1U) << unbuilt.out;
    for (const std::string& line : pm::split(unbuilt.out, '\n'))
        EXPECT_TRUE(line.empty() || line.starts_with("fault: ") || line.starts_with("verified ") ||
                    line.ends_with(" faults"))
            << line;
    write_kernel("typedef unsigned short u16;", "typedef unsigned short u16; // changed");

    const Ran of_dirty = make("--base first");
    EXPECT_EQ(of_dirty.status, 1) << of_dirty.out;
    EXPECT_TRUE(has(of_dirty.out, "the tree is dirty: 1 files differ from the commit")) << of_dirty.out;
    EXPECT_TRUE(has(of_dirty.out, "### Changed files\n\n- contracts/square.hip")) << of_dirty.out;
    write_kernel("", "");
    EXPECT_TRUE(has(verify().out, "fault: the receipt says itself: the tree is dirty")) << verify().out;

    write_receipt(sealed(good));
    EXPECT_EQ(verify().status, 0) << verify().out;
    EXPECT_EQ(verify("--base first " + file("receipt.json")).status, 0);
    git("commit -q --allow-empty -m other");
    const Ran based = verify("--base HEAD " + file("receipt.json"));
    EXPECT_TRUE(has(based.out, "fault: another base: the receipt's is ")) << based.out;
    EXPECT_EQ(verify("--base none " + file("receipt.json")).status, 2);
    const Ran other = verify();
    EXPECT_EQ(other.status, 1) << other.out;
    EXPECT_TRUE(has(other.out, "fault: another commit: the receipt is of ")) << other.out;
    EXPECT_FALSE(has(other.out, "verified commit ")) << other.out;
    EXPECT_TRUE(has(other.out, "verified contract changes since ")) << "what holds is told: " << other.out;
}

TEST_F(ReceiptTool, AFileThatGitIsToldNotToLookAtIsDirty) {
    git("commit -q --allow-empty -m second");
    for (const auto& [set, unset] : {std::pair{"--assume-unchanged", "--no-assume-unchanged"},
                                     std::pair{"--skip-worktree", "--no-skip-worktree"}}) {
        git(fmt::format("update-index {} contracts/square.hip", set));
        const Ran made = make("--base first");
        EXPECT_EQ(made.status, 1) << made.out;
        EXPECT_TRUE(has(made.out, "### Changed files\n\n- contracts/square.hip\n")) << made.out;
        git(fmt::format("update-index {} contracts/square.hip", unset));
        EXPECT_EQ(make("--base first").status, 0);
        EXPECT_EQ(verify().status, 0);
        git(fmt::format("update-index {} contracts/square.hip", set));
        EXPECT_TRUE(has(verify().out, "fault: the checkout is dirty: contracts/square.hip")) << verify().out;
        git(fmt::format("update-index {} contracts/square.hip", unset));
    }
}

// A base whose run of a chip was left out has no problems there.
TEST_F(ReceiptTool, ABaseThatLeavesOutAChipIsAFault) {
    write_registry("chips = [\"gfx1151\"]", "chips = [\"gfx1151\", \"gfx1201\"]");
    commit("second");
    git("commit -q --allow-empty -m third");
    (void)make("--base second --allow-unchecked");
    auto told = hkc::receipt::read_json(text_of_file(out() / "receipt.json"));
    ASSERT_TRUE(told) << told.error().text;
    const std::string fault = "fault: base: its run leaves out gfx1201, which the head's has\n";
    EXPECT_FALSE(has(verify("--allow-unchecked " + file("receipt.json")).out, fault));
    const auto left_out = [](const auto& one) { return one.chip == "gfx1201"; };
    auto& run = *told->base.run;
    std::erase(run.outcome.chips, "gfx1201");
    std::erase_if(run.outcome.kernels, left_out);
    std::erase_if(run.outcome.controls, left_out);
    run.description.tasks = run.outcome.kernels.size() + run.outcome.controls.size();
    for (auto& toolchain : told->base.audited->toolchains) {
        std::erase_if(toolchain.built, left_out);
        std::erase_if(toolchain.kernels, left_out);
    }
    write_receipt(hkc::receipt::to_json(*told));
    const Ran forged = verify("--allow-unchecked " + file("receipt.json"));
    EXPECT_EQ(forged.status, 1);
    EXPECT_TRUE(has(forged.out, fault)) << forged.out;
}

// Every object that verify needs was built for the receipt, so a chip that it does not tell of is not built either.
TEST_F(ReceiptTool, VerifyCompilesNothingBehindItsReceipt) {
    write_registry("chips = [\"gfx1151\"]", "chips = [\"gfx1151\", \"gfx1201\"]");
    commit("second");
    fs::remove_all(root() / ".cache");
    ASSERT_EQ(make("--base first --chip gfx1151").status, 0);
    const auto compiled = [this] {
        std::set<std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(root() / ".cache/compile"))
            if (entry.path().extension() == ".json") files.insert(entry.path().filename().string());
        return files;
    };
    const std::set<std::string> before = compiled();
    EXPECT_FALSE(before.empty());
    const Ran verified = verify();
    EXPECT_EQ(verified.status, 0) << verified.out;
    EXPECT_EQ(compiled(), before);
}

TEST_F(ReceiptTool, NamesOfAMachineAreFaultsInBothTexts) {
    ASSERT_EQ(make("--base first").status, 0);
    const std::string home = std::string("/ho") + "me/someone/tree";
    const std::string markdown = text_of_file(out() / "receipt.md");
    folder_.write("out/pr.md", "See " + home + " for more.\n" + markdown);
    const Ran text = verify(file("pr.md"));
    EXPECT_EQ(text.status, 1) << text.out;
    EXPECT_TRUE(has(text.out, "fault: the text names a machine or a person: " + home)) << text.out;
    Json json = receipt();
    json.at("dirty").push_back(home);
    write_receipt(sealed(json));
    EXPECT_TRUE(has(verify().out, "fault: the receipt names a machine or a person: " + home)) << verify().out;
}

// A library that accepts anything makes everything pass: which one it was is part of the receipt.
TEST_F(ReceiptTool, TheLibrariesOfOraclesAreTheReceipts) {
    const fs::path one = folder_.path() / "one/liboracles.so", other = folder_.path() / "other/liboracles.so";
    const std::string bytes = text_of_file(HKC_BINARY_DIR "/lib/liboracle_library.so");
    ASSERT_FALSE(bytes.empty());
    folder_.write("one/liboracles.so", bytes);
    folder_.write("other/liboracles.so", bytes + "x"); // the loader reads no further than the ELF says
    git("commit -q --allow-empty -m second");
    const std::string told = "liboracles.so sha256 " + pm::sha256_hex(bytes);
    const std::string told_other = "liboracles.so sha256 " + pm::sha256_hex(bytes + "x");
    const auto libraries = [](const fs::path& head, const fs::path& base) {
        return fmt::format("--oracles {} --base-oracles {} ", head.string(), base.string());
    };

    const Ran same = make(libraries(one, one) + "--base first");
    EXPECT_EQ(same.status, 0) << same.out;
    EXPECT_TRUE(has(same.out, "- oracles of " + told + "\n")) << same.out;
    EXPECT_TRUE(has(same.out, "### Contract changes: 0\n")) << same.out;
    EXPECT_TRUE(has(same.out, " --oracles './liboracles.so' --base-oracles './liboracles.so'\n")) << same.out;
    const std::string json = text_of_file(out() / "receipt.json");
    EXPECT_FALSE(has(json, folder_.path().string())) << json;
    const Ran verified = verify(libraries(one, one) + file("receipt.json"));
    EXPECT_EQ(verified.status, 0) << verified.out;
    const Ran foreign = verify(libraries(other, one) + file("receipt.json"));
    EXPECT_EQ(foreign.status, 1) << foreign.out;
    EXPECT_TRUE(has(foreign.out, "fault: the run's libraries of oracles are " + told + ", those here (--oracles) " +
                                     told_other + "\n"))
        << foreign.out;
    EXPECT_TRUE(has(foreign.out, "receipt.json: 1 faults\n")) << foreign.out;
    const Ran none = verify();
    EXPECT_EQ(none.status, 1) << none.out;
    EXPECT_TRUE(has(none.out, "fault: --oracles is missing: the run's libraries of oracles are " + told + "\n"))
        << none.out;
    EXPECT_TRUE(
        has(none.out, "fault: base: --base-oracles is missing: the run's libraries of oracles are " + told + "\n"))
        << none.out;

    // What the receipt says of how to repeat it works where the library is.
    std::smatch command;
    ASSERT_TRUE(std::regex_search(same.out, command,
                                  std::regex("\n    hip-kernel-contract-receipt verify receipt.json (--base .*)\n")));
    const Ran pasted =
        shell(fmt::format("cd {} && {}/hip-kernel-contract-receipt verify --root {} {} {}", one.parent_path().string(),
                          kBin, root().string(), file("receipt.json"), command[1].str()));
    EXPECT_EQ(pasted.status, 0) << pasted.out;

    const std::string change = "CHANGED libraries of oracles: " + told_other + " -> " + told;
    const Ran bare = make(libraries(one, other) + "--base first");
    EXPECT_EQ(bare.status, 1) << bare.out;
    EXPECT_TRUE(has(bare.out, "- " + change + ": NO REASON GIVEN\n")) << bare.out;
    EXPECT_TRUE(has(bare.out, "- the base's oracles of " + told_other + "\n")) << bare.out;
    ASSERT_EQ(make(libraries(one, other) + "--base first --reason '*oracles*' 'the bound was too wide'").status, 0);
    EXPECT_EQ(verify(libraries(one, other) + file("receipt.json")).status, 0);
    Json hidden = receipt();
    hidden.at("changes") = Json::array();
    hidden.at("reasons") = Json::array();
    write_receipt(sealed(hidden));
    const Ran untold = verify(libraries(one, other) + file("receipt.json"));
    EXPECT_TRUE(has(untold.out, "fault: a contract change that the receipt does not list: " + change)) << untold.out;
    Json unlike = receipt();
    unlike.at("base").at("run").at("oracles") = unlike.at("head").at("run").at("oracles");
    write_receipt(sealed(unlike));
    EXPECT_TRUE(has(verify(libraries(one, other) + file("receipt.json")).out,
                    "fault: base: the run's libraries of oracles are " + told + ", those here (--base-oracles) "));

    const std::string run = fmt::format("{}/hip-kernel-contract --root {} --device embedded --json {} --oracles ", kBin,
                                        root().string(), file("run.json"));
    ASSERT_EQ(shell(run + other.string()).status, 0);
    const Ran mixed = make(libraries(one, one) + "--base first --run " + file("run.json"));
    EXPECT_EQ(mixed.status, 2) << mixed.out;
    EXPECT_TRUE(has(mixed.out, "the given report is not of this head: its libraries of oracles are " + told_other +
                                   ", those here (--oracles) " + told))
        << mixed.out;
    EXPECT_EQ(make("--base first --base-oracles /nowhere/liboracles.so").status, 2);
}

TEST_F(ReceiptTool, EachSideIsJudgedByItsOwnLibrariesOfOracles) {
    const std::string library = HKC_BINARY_DIR "/lib/liboracle_library.so";
    // An oracle of the library, which says that the output is one, of another length: no kernel is right.
    write_registry("oracle = \"relu2\"", "oracle = \"outside_ones\"");
    commit("foreign");
    write_registry("", "");
    commit("own");
    const Ran forgotten = make("--base foreign --oracles " + library);
    EXPECT_EQ(forgotten.status, 1) << forgotten.out;
    EXPECT_TRUE(has(forgotten.out, "- the base was not run: registry/square.toml:")) << forgotten.out;
    EXPECT_TRUE(has(forgotten.out, "; --base-oracles names the base's libraries of oracles\n")) << forgotten.out;
    EXPECT_TRUE(has(forgotten.out, "### Problems: 0 of the head, not compared: the base was not run\n"))
        << forgotten.out;
    EXPECT_TRUE(has(forgotten.out, "### Contract changes: 0 known; the base was not run\n")) << forgotten.out;
    const Ran reasoned = make("--base foreign --reason '*oracle*' 'a rule of our own' --oracles " + library);
    EXPECT_EQ(reasoned.status, 1) << reasoned.out;
    EXPECT_TRUE(has(reasoned.out, "- the base was not run: registry/square.toml:")) << reasoned.out;
    EXPECT_FALSE(has(reasoned.out, "matches none")) << reasoned.out;
    EXPECT_TRUE(has(reasoned.out, "--reason '*oracle*' 'a rule of our own'\n")) << reasoned.out;
    const Ran not_run = verify("--oracles " + library + " " + file("receipt.json"));
    EXPECT_TRUE(has(not_run.out, "fault: the receipt says itself: the base was not run: ")) << not_run.out;
    EXPECT_TRUE(has(not_run.out, "receipt.json: 1 faults\n")) << not_run.out;
    const Ran made = make("--base foreign --reason '*' 'a rule of our own' --base-oracles " + library);
    EXPECT_EQ(made.status, 0) << made.out;
    EXPECT_TRUE(has(made.out, "- CHANGED libraries of oracles: liboracle_library.so sha256 ")) << made.out;
    EXPECT_TRUE(has(made.out, "- gone: ")) << made.out;
    EXPECT_EQ(verify("--rerun 1 --base-oracles " + library + " " + file("receipt.json")).status, 0);
    const Ran without = verify();
    EXPECT_EQ(without.status, 1) << without.out;
    EXPECT_TRUE(has(without.out, "fault: base: --base-oracles is missing: the run's libraries of oracles are "))
        << without.out;
    EXPECT_TRUE(has(without.out, "receipt.json: 1 faults\n")) << "nothing that only follows from it: " << without.out;
    expect_nothing_is_left();
}

TEST_F(ReceiptTool, ABaseThatDoesNotBuildIsNotRunAndSaysSo) {
    write_kernel("typedef unsigned short u16;", "this is no kernel;\nnor is this;");
    commit("broken");
    write_kernel("", "");
    commit("mended");
    const Ran made = make("--base broken");
    EXPECT_EQ(made.status, 1) << made.out;
    const std::string first = "the base was not run: square.hip:2:1: error: expected unqualified-id; "
                              "hip-kernel-contract prints the rest\n";
    EXPECT_TRUE(has(made.out, "- " + first)) << made.out;
    EXPECT_TRUE(has(verify().out, "fault: the receipt says itself: " + first)) << verify().out;
    EXPECT_FALSE(has(made.out, folder_.path().string())) << made.out;
    EXPECT_EQ(verify().status, 1);
    expect_nothing_is_left();

    folder_.write("repository/contracts/registry/square.toml", "nonsense = \n");
    commit("unreadable");
    write_registry("", "");
    commit("readable");
    const Ran unreadable = make("--base unreadable");
    EXPECT_EQ(unreadable.status, 1) << unreadable.out;
    EXPECT_TRUE(has(unreadable.out, "- the base was not run: registry/square.toml:")) << unreadable.out;
    expect_nothing_is_left();

    const std::string record = "records/clang-22.1.8/square.json", good = text_of_file(root() / record);
    folder_.write("repository/contracts/" + record, "{");
    commit("no-records");
    folder_.write("repository/contracts/" + record, good);
    commit("records");
    const Ran damaged = make("--base no-records");
    EXPECT_EQ(damaged.status, 1) << damaged.out;
    EXPECT_TRUE(has(damaged.out, "- the base was not run: " + record)) << damaged.out;
    EXPECT_FALSE(has(damaged.out, "hkc-base-")) << damaged.out;
    const Ran refused = verify();
    EXPECT_EQ(refused.status, 1) << refused.out;
    EXPECT_TRUE(has(refused.out, "receipt.json: 1 faults\n")) << refused.out;
    expect_nothing_is_left();

    write_kernel("typedef", "not C");
    const Ran head = make("--base first");
    EXPECT_EQ(head.status, 2) << head.out;
    EXPECT_TRUE(has(head.out, "square.hip")) << head.out;
    expect_nothing_is_left();
}

TEST_F(ReceiptTool, ATagADetachedHeadAndASubmoduleAreRevisionsAsAnyOther) {
    git("tag -a -m annotated annotated first");
    git("checkout -q --detach");
    folder_.write("library/file", "x");
    const std::string library = (folder_.path() / "library").string();
    git("-C " + library + " init -q");
    git("-C " + library + " add -A");
    git("-C " + library + " commit -q -m library");
    git("-c protocol.file.allow=always submodule --quiet add " + library + " library");
    git("commit -q -m submodule");
    const Ran made = make("--base annotated");
    EXPECT_EQ(made.status, 0) << made.out;
    EXPECT_EQ(receipt().at("base").at("commit").get<std::string>() + "\n", git("rev-parse first"));
    EXPECT_EQ(verify().status, 0) << verify().out;
    const Ran with_submodule = make("--base HEAD");
    EXPECT_EQ(with_submodule.status, 0) << with_submodule.out;
    expect_nothing_is_left();
    folder_.write("repository/library/file", "changed");
    EXPECT_TRUE(has(verify().out, "fault: the checkout is dirty: library")) << verify().out;
}

TEST_F(ReceiptTool, AShallowCloneThatLacksTheBaseSaysHowToGetIt) {
    git("commit -q --allow-empty -m second");
    ASSERT_EQ(make("--base first").status, 0);
    const std::string first = git("rev-parse first");
    git("tag -d first");
    const fs::path shallow = folder_.path() / "shallow";
    git(fmt::format("clone -q --depth 1 file://{} {}", repository().string(), shallow.string()));
    fs::remove_all(repository());
    fs::rename(shallow, repository());
    const Ran made = make("--base " + first.substr(0, 40));
    EXPECT_EQ(made.status, 2) << made.out;
    EXPECT_TRUE(has(made.out, "git fetch --unshallow")) << made.out;
    const Ran checked = verify();
    EXPECT_EQ(checked.status, 1) << checked.out;
    EXPECT_TRUE(has(checked.out, "fault: the base is not to be seen: ")) << checked.out;
    EXPECT_TRUE(has(checked.out, "git fetch --unshallow")) << checked.out;
    EXPECT_EQ(worktree_folders(), 0U);
    EXPECT_EQ(make("").status, 2) << "a receipt without a base";
    EXPECT_EQ(make("--base no-such").status, 2);
    EXPECT_EQ(verify(file("none.json")).status, 2);
}

TEST_F(ReceiptTool, AWorktreeThatAKilledRunLeftIsRemovedAndOneInUseIsNot) {
    const fs::path left = folder_.path() / "tmp/hkc-base-left00", used = folder_.path() / "tmp/hkc-base-used00";
    git("worktree add -q --detach " + left.string());
    git("worktree add -q --detach " + used.string());
    const fs::path own = folder_.path() / "hkc-base-mine", branch = folder_.path() / "hkc-base-branch";
    git("worktree add -q --detach " + own.string());
    git("worktree add -q -b work " + branch.string());
    const int lock = open(used.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(flock(lock, LOCK_EX), 0);
    EXPECT_EQ(make("--base first").status, 0);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(used / "contracts/square.hip"));
    for (const fs::path& kept : {own, branch}) {
        EXPECT_TRUE(fs::exists(kept / "contracts/square.hip")) << "the user's";
        git("worktree remove " + kept.string());
    }
    git("branch -q -D work");
    close(lock);
    EXPECT_EQ(make("--base first").status, 0);
    expect_nothing_is_left();
}

TEST_F(ReceiptTool, AKilledRunLeavesNothingBehind) {
    write_kernel("if (i >= count) return;", "while (i < count) __builtin_amdgcn_s_sleep(1);");
    commit("endless");
    write_kernel("", "");
    commit("mended");
    for (const int number : {SIGTERM, SIGKILL}) {
        const Running running(fmt::format(
            "{} {}/hip-kernel-contract-receipt --root {} --device embedded --out {} --timeout 86400 --base endless",
            environment(), kBin, root().string(), out().string()));
        while (running.alive() && worktree_folders() == 0) (void)usleep(1000);
        EXPECT_TRUE(running.alive());
        running.signal(number);
        const Ran ran = running.end();
        if (number == SIGKILL)
            EXPECT_EQ(ran.signal, number) << ran.out;
        else
            EXPECT_EQ(ran.status, 130) << ran.out;
        EXPECT_FALSE(fs::exists(out() / "receipt.json"));
        expect_nothing_is_left();
    }
}

// Whoever calls a toolchain missing has no audit to show. Where it is there, what it says counts.
TEST_F(ReceiptTool, AToolchainThatIsCalledMissingAndIsHereIsNeverVerified) {
    std::string toolchains = text_of_file(root() / "toolchains.toml");
    toolchains += "\n[[toolchain]]\nname = \"second\"\nkind = \"clang\"\nversion = \"22.1.8\"\n"
                  "compilers = [\"clang++-22\", \"/usr/lib/llvm-22/bin/clang++\"]\n";
    folder_.write("repository/contracts/toolchains.toml", toolchains);
    const Ran recorded = shell(
        fmt::format("{0}/hip-kernel-contract-limits --root {1} --toolchain second --records all --allow-unchecked | "
                    "{0}/hip-kernel-contract-records --root {1} apply",
                    kBin, root().string()));
    ASSERT_EQ(recorded.status, 0) << recorded.out;
    commit("two");
    const auto hide = [&] {
        Json forged = receipt();
        for (const char* side : {"head", "base"})
            for (Json& toolchain : forged.at(side).at("audit")) {
                if (toolchain.at("name") != "second") continue;
                toolchain.at("installed") = false;
                toolchain.at("note") = "not installed";
                for (const char* list : {"errors", "built", "kernels"}) toolchain.at(list) = Json::array();
            }
        forged.at("problems") = {{"new", Json::array()}, {"gone", Json::array()}, {"identical", Json::array()}};
        forged.at("exit_status") = 0;
        write_receipt(sealed(forged));
    };
    // A run of another toolchain than the pinned one is no run of the head.
    const Ran other = shell(fmt::format("{} {}/hip-kernel-contract --root {} --device embedded --toolchain second "
                                        "--json {}",
                                        environment(), kBin, root().string(), (folder_.path() / "run.json").string()));
    ASSERT_EQ(other.status, 0) << other.out;
    const Ran refused = make("--base two --run " + (folder_.path() / "run.json").string());
    EXPECT_EQ(refused.status, 2) << refused.out;
    EXPECT_TRUE(has(refused.out, "its objects are those of toolchain second; expected clang-22.1.8, the pinned one"))
        << refused.out;

    ASSERT_EQ(make("--base two").status, 0);
    EXPECT_EQ(verify().status, 0) << verify().out;
    Json forged = receipt();
    for (const char* side : {"head", "base"}) forged.at(side).at("run").at("toolchain") = "second";
    write_receipt(sealed(forged));
    EXPECT_TRUE(has(verify().out, "fault: the run's toolchain is second; toolchains.toml pins clang-22.1.8\n"))
        << verify().out;
    ASSERT_EQ(make("--base two").status, 0);
    hide();
    const Ran untold = verify();
    EXPECT_EQ(untold.status, 1) << untold.out;
    EXPECT_TRUE(has(untold.out, "unchecked: audit of second: the receipt says that it is not installed; here it is\n"))
        << untold.out;
    EXPECT_FALSE(has(untold.out, "fault: ")) << untold.out;

    const std::string file = "records/second/square.json";
    const std::string record = text_of_file(root() / file);
    const std::size_t at = record.find("\"sgpr\": ");
    ASSERT_NE(at, std::string::npos) << record;
    folder_.write("repository/contracts/" + file, std::string(record).insert(at + 8, "1"));
    commit("wrong");
    ASSERT_EQ(make("--base wrong").status, 1);
    hide();
    const Ran hidden = verify();
    EXPECT_EQ(hidden.status, 1) << hidden.out;
    EXPECT_TRUE(has(hidden.out, "fault: audit of second: the receipt says that it is not installed; here it is: "
                                "gfx1151 square: differs from the record: "))
        << hidden.out;
    EXPECT_TRUE(has(hidden.out, "fault: base: audit of second: the receipt says")) << hidden.out;
}

/// A figure, name or text of a receipt: its pointer, and the pointer with `#` for indices.
struct Leaf {
    std::string pointer, kind;
};

std::vector<Leaf> leaves_of(const Json& json) {
    std::vector<Leaf> leaves;
    const std::function<void(const Json&, const std::string&, const std::string&)> visit =
        [&](const Json& at, const std::string& pointer, const std::string& kind) {
            if (at.is_object())
                for (const auto& [key, value] : at.items()) visit(value, pointer + "/" + key, kind + "/" + key);
            else if (at.is_array())
                for (std::size_t i = 0; i < at.size(); ++i) visit(at[i], fmt::format("{}/{}", pointer, i), kind + "/#");
            else
                leaves.push_back({pointer, kind});
        };
    visit(json, "", "");
    return leaves;
}

void alter(Json& leaf) {
    if (leaf.is_boolean())
        leaf = !leaf.get<bool>();
    else if (leaf.is_number())
        leaf = leaf.get<std::int64_t>() + 1;
    else if (leaf.is_string())
        leaf = leaf.get<std::string>() + "x";
    else
        leaf = "x";
}

/// What a forger could write instead, by how.
std::map<std::string, Json> alterations(const Json& leaf) {
    std::map<std::string, Json> all;
    Json other = leaf;
    alter(other);
    all["more"] = other;
    if (leaf.is_number() && leaf != 0) all["zero"] = 0;
    if (!leaf.is_string() || leaf.get<std::string>().empty()) return all;
    all["empty"] = "";
    const auto text = leaf.get<std::string>();
    if (hkc::is_commit_hash(text)) all["another hash"] = pm::sha256_hex(text).substr(0, text.size());
    return all;
}

/// Receipts that are verified in this process.
class ForgedReceipt : public ReceiptTool {
protected:
    void SetUp() override {
        ReceiptTool::SetUp();
        (void)setenv("TMPDIR", (folder_.path() / "tmp").c_str(), 1);
    }
    void TearDown() override { (void)unsetenv("TMPDIR"); }
    std::vector<std::string> faults(const std::string& json, const std::string& markdown) const {
        const auto registry = hkc::load_contracts(root());
        if (!registry) return {registry.error().text};
        return hkc::receipt::verify(json, markdown, *registry, {}, [](const auto&...) {}).faults;
    }
    hkc::receipt::Verdict verdict_of(const std::string& json) const {
        const auto receipt = hkc::receipt::read_json(json);
        const auto registry = hkc::load_contracts(root());
        if (!receipt || !registry) return {{"cannot be read"}, {}, {}};
        const std::string markdown = hkc::receipt::to_markdown(*receipt, hkc::receipt::seal_of(json));
        return hkc::receipt::verify(json, markdown, *registry, {}, [](const auto&...) {});
    }
    /// Whether verify would end with exit status 0.
    bool is_true(const std::string& json) const {
        const auto verdict = verdict_of(json);
        return verdict.faults.empty() && verdict.unverified.empty();
    }
    std::string json() const { return text_of_file(out() / "receipt.json"); }
    std::string markdown() const { return text_of_file(out() / "receipt.md"); }
};

/// `text` with the first `from` in it replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class AlteredReceipt : public ForgedReceipt {
protected:
    void SetUp() override {
        ForgedReceipt::SetUp();
        write_kernel("x < 0.0f ? 0.0f : x", "x");
        commit("faulty");
        write_registry("{ count = 64, served = true }", "{ count = 96, served = true }");
        write_kernel("", "");
        commit("second");
        ASSERT_EQ(make("--base faulty --reason 'WEAKER*' 'the model has 96'").status, 0);
    }
};

TEST_F(AlteredReceipt, AnyFieldOfTheJsonAlteredFails) {
    ASSERT_TRUE(faults(json(), markdown()).empty());
    const std::vector<Leaf> leaves = leaves_of(receipt());
    EXPECT_GT(leaves.size(), 300U);
    for (const Leaf& leaf : leaves) {
        Json altered = receipt();
        alter(altered.at(Json::json_pointer(leaf.pointer)));
        EXPECT_FALSE(hkc::receipt::read_json(altered.dump(1) + "\n")) << leaf.pointer;
    }
}

// One receipt has one text: nothing that a JSON reader would skip or take for the same.
TEST_F(AlteredReceipt, AnotherTextOfTheSameJsonFails) {
    const std::string text = json();
    const std::string tool = " \"tool\": \"hip-kernel-contract-receipt\",\n", exit = " \"exit_status\": 0,\n";
    const auto altered = [&](const std::string& from, const std::string& to) { return changed(text, from, to); };
    Json other = receipt();
    other["note"] = "one more";
    Json reordered = receipt();
    const Json dirty = reordered.at("dirty");
    reordered.erase("dirty");
    reordered["dirty"] = dirty;
    Json deep = receipt();
    deep.at("changes").at(0)["note"] = "one more";
    ASSERT_TRUE(hkc::receipt::read_json(text));
    ASSERT_TRUE(hkc::receipt::read_json(sealed(receipt())));
    for (const std::string& one :
         {altered(exit, exit + exit), altered(exit, " \"exit_status\": 0.0,\n"),
          altered(exit, " \"exit_status\": 0e0,\n"), altered(exit, " \"exit_status\": -0,\n"),
          altered(exit, " \"exit_status\": false,\n"), altered(exit, " \"exit_status\":  0,\n"),
          altered(exit, " \"exit_status\": 1,\n" + exit),
          altered(tool, " \"tool\": \"hip\\u002dkernel-contract-receipt\",\n"), altered(exit, "\n" + exit),
          altered(exit, " // as contracted\n" + exit), "\xef\xbb\xbf" + text, text + "\n", text + "{}",
          text.substr(0, text.size() - 1), std::regex_replace(text, std::regex("\n"), "\r\n"), sealed(other),
          sealed(reordered), sealed(deep)})
        EXPECT_FALSE(hkc::receipt::read_json(one)) << one.substr(0, 300);
}

TEST_F(AlteredReceipt, TheTextIsReadAsAReaderSeesIt) {
    const auto receipt = hkc::receipt::read_json(json());
    ASSERT_TRUE(receipt) << receipt.error().text;
    const auto faults = [&](const std::string& text) {
        return hkc::receipt::markdown_faults(text, *receipt, hkc::receipt::seal_of(json()));
    };
    const std::string text = markdown();
    const std::string first = "<!-- hip-kernel-contract receipt -->", kernels = "SUMMARY gfx1151 1";
    const auto altered = [&](const std::string& from, const std::string& to) { return changed(text, from, to); };
    EXPECT_TRUE(faults("A kernel contract receipt is below.\n\n" + text + "\nThanks\n").empty());
    EXPECT_TRUE(faults(std::regex_replace(text, std::regex("\n"), "\r")).empty()) << "line ends of any kind";
    // A line end there is a blank to a reader.
    EXPECT_FALSE(faults(altered(kernels, "SUMMARY gfx1151 \r1")).empty());
    EXPECT_FALSE(faults(altered(kernels, "SUMMARY gfx1151 1 ")).empty()) << "a blank more";
    EXPECT_FALSE(faults(altered(kernels, "SUMMARY gfx1151\xc2\xa0\x31")).empty()) << "another blank";
    EXPECT_FALSE(faults(altered(kernels, "SUMMARY gfx1151 1<!-- 0 -->")).empty());
    EXPECT_FALSE(faults(altered("### Head", "<!--\n### Head")).empty());
    EXPECT_FALSE(faults(altered("certified", "\xd1\x81\x65rtified")).empty()) << "a letter that looks the same";
    EXPECT_FALSE(faults(altered(first, "    " + first)).empty()) << "as code";
    EXPECT_FALSE(faults(altered(first, "[nothing]: <" + first)).empty()) << "as part of something else";
    EXPECT_FALSE(faults("## Kernel contract receipt\n\nAll is as contracted.\n\n" + text).empty())
        << "one more, unmarked";
    EXPECT_FALSE(faults(text + "\n> # **Kernel** contract receipt\n").empty());
    EXPECT_FALSE(faults(text + first + "\n").empty());
}

TEST_F(AlteredReceipt, NoReasonIsHiddenByMarkdown) {
    auto receipt = hkc::receipt::read_json(json());
    ASSERT_TRUE(receipt) << receipt.error().text;
    receipt->changes.at(0).reason = "<b>&nbsp;[](x y)[^1] $\\phantom{words}$ a|b";
    EXPECT_TRUE(has(hkc::receipt::to_markdown(*receipt, ""),
                    ": because &lt;b>&amp;nbsp;[\\](x y)\\[^1] &#36;\\\\phantom{words}&#36; a\\|b\n"))
        << hkc::receipt::to_markdown(*receipt, "");
}

TEST_F(AlteredReceipt, AnyWordOfTheMarkdownAlteredFails) {
    const std::string text = markdown(), seal = hkc::receipt::seal_of(json());
    const auto receipt = hkc::receipt::read_json(json());
    ASSERT_TRUE(receipt) << receipt.error().text;
    EXPECT_TRUE(hkc::receipt::markdown_faults(text, *receipt, seal).empty());
    std::size_t words = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (std::isalnum(static_cast<unsigned char>(text[i])) == 0) continue;
        ++words;
        std::string altered = text;
        altered[i] = text[i] == '7' ? '8' : '7';
        EXPECT_FALSE(hkc::receipt::markdown_faults(altered, *receipt, seal).empty()) << "at " << i;
    }
    EXPECT_GT(words, 1000U);
    EXPECT_FALSE(hkc::receipt::markdown_faults(text + text, *receipt, seal).empty()) << "twice";
    EXPECT_FALSE(hkc::receipt::markdown_faults("", *receipt, seal).empty());
}

TEST_F(AlteredReceipt, EveryAlteredLineOfTheMarkdownIsTold) {
    const auto receipt = hkc::receipt::read_json(json());
    ASSERT_TRUE(receipt) << receipt.error().text;
    const auto told = [&](const std::string& text) {
        return hkc::receipt::markdown_faults(text, *receipt, hkc::receipt::seal_of(json()));
    };
    std::string altered = markdown();
    altered.replace(altered.find("### Head"), 8, "### Heap");
    altered.replace(altered.find("### Base"), 8, "### Bass");
    const auto two = told(altered);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_TRUE(has(two[0], "reads \"### Heap\", receipt.json makes it \"### Head\"")) << two[0];
    EXPECT_TRUE(has(two[1], "reads \"### Bass\", receipt.json makes it \"### Base\"")) << two[1];
    std::string longer = markdown();
    longer.insert(longer.find("### Head"), "one more\n");
    const auto more = told(longer);
    ASSERT_EQ(more.size(), 2U) << "not every line behind it";
    EXPECT_TRUE(has(more[0], "reads \"one more\", receipt.json makes it \"### Head\"")) << more[0];
    EXPECT_TRUE(has(more[1], " lines, receipt.json makes ")) << more[1];
}

// The forger seals what was altered, and writes the text anew.
TEST_F(AlteredReceipt, AnyFieldAlteredAndSealedFailsButThoseThatOnlyARunTells) {
    // docs/receipts.md lists them. Each must be needed.
    std::map<std::string, bool> measured;
    for (const std::string& side : {std::string("/head"), std::string("/base")})
        for (const char* field : {"/run/kernels/#/gates/#/checks more", "/run/controls/#/gates/#/checks more",
                                  "/run/controls/#/gates/#/findings/#/text more"})
            measured[side + field] = false;
    std::set<std::string> seen;
    for (const Leaf& leaf : leaves_of(receipt())) {
        if (!seen.insert(leaf.kind).second || leaf.kind == "/sha256" || leaf.kind.ends_with("/run/sha256")) continue;
        for (const auto& [how, value] : alterations(receipt().at(Json::json_pointer(leaf.pointer)))) {
            Json altered = receipt();
            altered.at(Json::json_pointer(leaf.pointer)) = value;
            const std::string text = sealed(altered);
            const auto read = hkc::receipt::read_json(text);
            const bool found = !read || !is_true(text);
            const auto excused = measured.find(leaf.kind + " " + how);
            if (excused != measured.end()) excused->second = excused->second || !found;
            EXPECT_TRUE(found || excused != measured.end()) << leaf.pointer << " " << how;
        }
    }
    EXPECT_GT(seen.size(), 80U);
    for (const auto& [kind, needed] : measured) EXPECT_TRUE(needed) << kind << " is found after all, or is not there";
}

/// A forgery that keeps counts and summaries in step, and whether it can be told without a run.
struct Forgery {
    const char* what;
    bool told;
    std::function<void(hkc::receipt::Receipt&)> make;
};

/// Does the same to the runs of both sides.
std::function<void(hkc::receipt::Receipt&)> both(const std::function<void(hkc::ReadReport&)>& alter) {
    return [alter](hkc::receipt::Receipt& receipt) {
        alter(*receipt.head.run);
        alter(*receipt.base.run);
    };
}

TEST_F(AlteredReceipt, AForgeryInStepIsToldUnlessOnlyARunTells) {
    using hkc::ReadReport;
    using hkc::receipt::Receipt;
    const std::string other(64, 'b');
    const std::vector<Forgery> forgeries = {
        {"nothing", false, [](Receipt&) {}},
        {"the base by a name", true, [](Receipt& r) { r.base.commit = "faulty"; }},
        {"the base's hash cut", true, [](Receipt& r) { r.base.commit.resize(12); }},
        {"another object", true, both([&](ReadReport& r) { r.outcome.kernels[0].evidence.object = other; })},
        {"no object", true, both([](ReadReport& r) { r.outcome.kernels[0].evidence.object = ""; })},
        {"a control's object", true, both([&](ReadReport& r) { r.outcome.controls[0].evidence.object = other; })},
        {"another compiler's words", true,
         both([](ReadReport& r) { r.description.compiler = "clang version 22.1.8"; })},
        {"an open kernel", true,
         [](Receipt& r) {
             r.head.run->outcome.kernels[0].certificates[0] = {"square", pm::certify::Verdict::kOpen, {{"a wait"}}};
         }},
        {"no certificate", true, [](Receipt& r) { r.head.run->outcome.kernels[0].certificates.clear(); }},
        {"a launch more than the device counts", true,
         [](Receipt& r) { ++r.head.run->outcome.kernels[0].gates[0].launches; }},
        {"an instruction more than there are", true, [](Receipt& r) { ++r.head.run->outcome.kernels[0].device.exact; }},
        {"figures of the audit and its fingerprint", true,
         [](Receipt& r) {
             for (hkc::limits::ToolchainAudit& audit : r.head.audited->toolchains)
                 for (hkc::limits::Audited& kernel : audit.kernels)
                     for (auto& [symbol, resources] : kernel.compiled) ++resources.sgpr;
         }},
        {"another linker", true,
         [](Receipt& r) { r.head.audited->toolchains.at(0).built.at(0).fingerprint.linkers = {"another"}; }},
        {"a device that there is not", true, both([](ReadReport& r) { r.description.device = "abacus"; })},
        // What docs/receipts.md says that a receipt does not prove.
        {"a check more", false, [](Receipt& r) { ++r.head.run->outcome.kernels[0].gates[0].checks; }},
        {"a launch more everywhere", false,
         [](Receipt& r) {
             ++r.head.run->outcome.kernels[0].gates[0].launches;
             ++r.head.run->outcome.kernels[0].device.launches;
         }},
        {"an instruction more everywhere", false,
         [](Receipt& r) {
             ++r.head.run->outcome.kernels[0].device.exact;
             ++r.head.run->outcome.kernels[0].device.instructions;
         }},
        {"an operation of a lane less", false,
         [](Receipt& r) { --r.head.run->outcome.kernels[0].device.lane_operations; }},
        {"a finding in other words", false,
         [](Receipt& r) { r.head.run->outcome.controls[0].gates.back().findings[0].text = "out[0] is wrong"; }},
        {"another HIP library", false, both([](ReadReport& r) { r.description.library = "libother.so"; })},
        {"no launch budget", false, both([](ReadReport& r) { r.description.thorough = true; })},
        {"what is unchecked allowed", false, both([](ReadReport& r) { r.description.allow_unchecked = true; })},
        {"a reason in other words", false,
         [](Receipt& r) { r.changes[0].reason = r.reasons[0].why = "because it is so"; }},
        {"a pattern that matches the same", false, [](Receipt& r) { r.reasons[0].pattern = "WEAKER *"; }},
        // Reasons and those that were given are the same.
        {"a reason that was not given", true, [](Receipt& r) { r.changes[0].reason = "because it is so"; }},
        {"a pattern that matches nothing", true, [](Receipt& r) { r.reasons[0].pattern = "CHANGED*"; }},
        {"a reason that turns text", true,
         [](Receipt& r) { r.changes[0].reason = r.reasons[0].why = "never \xe2\x80\xae said that"; }},
        {"a finding that turns text", true,
         [](Receipt& r) { r.head.run->outcome.controls[0].gates.back().findings[0].text = "out \xe2\x80\xae 0"; }},
        {"an oracle library", true, both([&](ReadReport& r) {
             r.description.oracles.push_back({"lib.so", other});
         })},
    };
    for (const Forgery& forgery : forgeries) {
        auto receipt = hkc::receipt::read_json(json());
        ASSERT_TRUE(receipt) << receipt.error().text;
        forgery.make(*receipt);
        EXPECT_EQ(!is_true(hkc::receipt::to_json(*receipt)), forgery.told) << forgery.what;
    }
}

template <typename T>
void swap_first(std::vector<T>& list) {
    ASSERT_GE(list.size(), 2U);
    ASSERT_FALSE(list[0] == list[1]);
    std::swap(list[0], list[1]);
}

class OrderOfReceipt : public ForgedReceipt {
protected:
    void SetUp() override {
        ForgedReceipt::SetUp();
        std::string text = std::string(kRegistration) + kControl;
        const auto replace = [&](const std::string& from, const std::string& to) {
            ASSERT_NE(text.find(from), std::string::npos) << from;
            text.replace(text.find(from), from.size(), to);
        };
        replace("[\"gfx1151\"]", "[\"gfx1151\", \"gfx1201\"]");
        const std::string kernel =
            text.substr(text.find("[[kernel]]"), text.find("[[control]]") - text.find("[[kernel]]"));
        std::string twin = std::regex_replace(kernel, std::regex("name = \"square\""), "name = \"twin\"");
        twin = std::regex_replace(twin, std::regex("block = "), "symbol = \"square\", block = ");
        std::string control = std::regex_replace(std::string(kControl), std::regex("it cubes"), "it cubes again");
        text.insert(text.find("[[control]]"), twin);
        text += control;
        folder_.write("repository/contracts/registry/square.toml", text);
        std::string toolchains = text_of_file(root() / "toolchains.toml");
        toolchains += "\n[[toolchain]]\nname = \"second\"\nkind = \"clang\"\nversion = \"22.1.8\"\n"
                      "compilers = [\"clang++-22\", \"/usr/lib/llvm-22/bin/clang++\"]\n";
        folder_.write("repository/contracts/toolchains.toml", toolchains);
        for (const char* toolchain : {"clang-22.1.8", "second"}) {
            const Ran recorded = shell(fmt::format(
                "{0}/hip-kernel-contract-limits --root {1} --toolchain {2} --records all --allow-unchecked | "
                "{0}/hip-kernel-contract-records --root {1} apply",
                kBin, root().string(), toolchain));
            ASSERT_EQ(recorded.status, 0) << recorded.out;
        }
        commit("two");
        const auto weaken = [&](const std::string& from, const std::string& to) {
            text = std::regex_replace(text, std::regex(from), to);
        };
        weaken("count = 64", "count = 96");
        weaken("it cubes again", "it cubes anew");
        folder_.write("repository/contracts/registry/square.toml", text);
        commit("weaker");
        const Ran made = make("--base two --reason 'WEAKER*shape*' 'the model has 96' --reason '*' 'called otherwise'");
        ASSERT_EQ(made.status, 0) << made.out;
    }
};

// The same head and base give the same bytes, so no list has another order, or an entry more or less.
TEST_F(OrderOfReceipt, AnyListInAnotherOrderFails) {
    using hkc::receipt::Receipt;
    ASSERT_TRUE(is_true(json())) << json();
    const auto twice = [](auto& list) { list.insert(list.begin(), list.front()); };
    const auto less = [](auto& list) { list.pop_back(); };
    const auto audited = [](Receipt & r) -> auto& { return r.head.audited->toolchains; };
    const auto run = [](Receipt & r) -> auto& { return r.head.run->outcome; };
    const std::vector<Forgery> forgeries = {
        {"nothing", false, [](Receipt&) {}},
        {"kernels turned", true, [&](Receipt& r) { std::swap(run(r).kernels[0], run(r).kernels[1]); }},
        {"kernels of two chips turned", true, [&](Receipt& r) { std::swap(run(r).kernels[0], run(r).kernels[2]); }},
        {"a kernel twice", true, [&](Receipt& r) { twice(run(r).kernels); }},
        {"a kernel less", true, [&](Receipt& r) { less(run(r).kernels); }},
        {"controls turned", true, [&](Receipt& r) { std::swap(run(r).controls[0], run(r).controls[1]); }},
        {"a control twice", true, [&](Receipt& r) { twice(run(r).controls); }},
        {"a control less", true, [&](Receipt& r) { less(run(r).controls); }},
        {"chips turned", true, [&](Receipt& r) { swap_first(run(r).chips); }},
        {"a chip twice", true, [&](Receipt& r) { twice(run(r).chips); }},
        {"a chip less", true, [&](Receipt& r) { less(run(r).chips); }},
        {"registered chips turned", true, [](Receipt& r) { swap_first(r.head.run->description.registered); }},
        {"a registered chip twice", true, [&](Receipt& r) { twice(r.head.run->description.registered); }},
        {"gates asked for turned", true, [&](Receipt& r) { swap_first(run(r).gates); }},
        {"a gate asked for less", true, [&](Receipt& r) { less(run(r).gates); }},
        {"gates turned", true, [&](Receipt& r) { std::swap(run(r).kernels[0].gates[0], run(r).kernels[0].gates[1]); }},
        {"a gate twice", true, [&](Receipt& r) { twice(run(r).kernels[0].gates); }},
        {"a gate less", true, [&](Receipt& r) { less(run(r).kernels[0].gates); }},
        {"a control's gates turned", true,
         [&](Receipt& r) { std::swap(run(r).controls[0].gates[0], run(r).controls[0].gates[1]); }},
        {"a control's gate less", true, [&](Receipt& r) { less(run(r).controls[0].gates); }},
        {"a certificate twice", true, [&](Receipt& r) { twice(run(r).kernels[0].certificates); }},
        {"a known finding", true, [&](Receipt& r) { run(r).kernels[0].known.emplace_back("none such"); }},
        {"toolchains turned", true, [&](Receipt& r) { std::swap(audited(r)[0], audited(r)[1]); }},
        {"a toolchain twice", true, [&](Receipt& r) { twice(audited(r)); }},
        {"a toolchain less", true, [&](Receipt& r) { less(audited(r)); }},
        {"a toolchain more", true,
         [&](Receipt& r) {
             audited(r).push_back(audited(r)[1]);
             audited(r)[2].spec.name = "third";
         }},
        {"builds turned", true, [&](Receipt& r) { std::swap(audited(r)[0].built[0], audited(r)[0].built[1]); }},
        {"a build twice", true, [&](Receipt& r) { twice(audited(r)[0].built); }},
        {"audited kernels turned", true,
         [&](Receipt& r) { std::swap(audited(r)[0].kernels[0], audited(r)[0].kernels[1]); }},
        {"an audited kernel twice", true, [&](Receipt& r) { twice(audited(r)[0].kernels); }},
        {"an audited kernel less", true, [&](Receipt& r) { less(audited(r)[0].kernels); }},
        {"flags turned", true, [&](Receipt& r) { swap_first(audited(r)[0].built[0].fingerprint.flags); }},
        {"an ident twice", true, [&](Receipt& r) { twice(audited(r)[0].built[0].fingerprint.idents); }},
        {"changes turned", true, [](Receipt& r) { std::swap(r.changes[0], r.changes[1]); }},
        {"a change twice", true, [&](Receipt& r) { twice(r.changes); }},
        {"a change less", true, [&](Receipt& r) { less(r.changes); }},
        {"reasons turned", true, [](Receipt& r) { swap_first(r.reasons); }},
        {"a reason less", true, [&](Receipt& r) { less(r.reasons); }},
        {"a problem", true, [](Receipt& r) { r.gone.emplace_back("fail gfx1151 square gate 3 shapes: a crash"); }},
    };
    for (const Forgery& forgery : forgeries) {
        auto receipt = hkc::receipt::read_json(json());
        ASSERT_TRUE(receipt) << receipt.error().text;
        ASSERT_EQ(receipt->changes.size(), 2U);
        ASSERT_EQ(receipt->head.audited->toolchains.size(), 2U);
        forgery.make(*receipt);
        // What is unchecked may be allowed, so it must be a fault.
        EXPECT_EQ(!verdict_of(hkc::receipt::to_json(*receipt)).faults.empty(), forgery.told) << forgery.what;
    }
}

TEST_F(AlteredReceipt, WhereTheCompilerIsAnotherOneObjectsAreUncheckedNeverVerified) {
    auto receipt = hkc::receipt::read_json(json());
    ASSERT_TRUE(receipt) << receipt.error().text;
    for (hkc::receipt::Side* side : {&receipt->head, &receipt->base}) {
        for (hkc::KernelOutcome& kernel : side->run->outcome.kernels) kernel.evidence.fingerprint = "another compiler";
        for (hkc::ControlOutcome& control : side->run->outcome.controls)
            control.evidence.fingerprint = "another compiler";
    }
    const auto verdict = verdict_of(hkc::receipt::to_json(*receipt));
    ASSERT_EQ(verdict.unverified.size(), 2U) << "the head's and the base's";
    EXPECT_TRUE(has(verdict.unverified[0], "objects and certificates: the receipt's were built by another compiler"))
        << verdict.unverified[0];
}

} // namespace
