// The tool with --base, on git repositories of two commits; and on a device that lies about what it loaded.

#include "tests/tools/contract_repository.h"

#include <nlohmann/json.hpp>

namespace {

using namespace contract_repository;

class BaseTool : public ContractRepository {
protected:
    std::string command(const std::string& options, const std::string& environment = "") const {
        const char* gates = has(options, "--gates") ? "" : "--gates 1,3 ";
        return fmt::format("{} {} {}/bin/hip-kernel-contract --root {} --device embedded {}", this->environment(),
                           environment, HKC_BINARY_DIR, root().string(), gates + options);
    }
    Ran run(const std::string& options, const std::string& environment = "") const {
        return Running(command(options, environment)).end();
    }
    nlohmann::json report() const { return nlohmann::json::parse(text_of_file(folder_.path() / "report.json")); }
    std::string json() const { return "--json " + (folder_.path() / "report.json").string(); }
};

constexpr const char* kProblem = "fail gfx1151 square gate 3 shapes: outside the oracle: ";

TEST_F(BaseTool, AFaultThatTheHeadMendsIsGone) {
    write_faulty_kernel();
    commit("faulty");
    write_kernel("", "");
    commit("mended");
    const Ran ran = run("--base faulty " + json());
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran.out, "problems: 0 new, 1 gone, 0 unchanged since faulty (")) << ran.out;
    EXPECT_TRUE(has(ran.out, std::string("\ngone: ") + kProblem)) << ran.out;
    const auto base = report().at("base");
    EXPECT_EQ(base.at("revision"), "faulty");
    EXPECT_EQ(base.at("commit").get<std::string>() + "\n", git("rev-parse faulty"));
    EXPECT_TRUE(base.at("new").empty());
    EXPECT_EQ(base.at("gone").size(), 1U);
    EXPECT_TRUE(base.at("unchanged").empty());
    EXPECT_EQ(report().at("exit_status"), 0);
    EXPECT_EQ(cached_objects(), 2U) << "the base's object goes to the head's cache";
    expect_nothing_is_left();
}

TEST_F(BaseTool, AFaultThatTheHeadBringsIsNewAndOneThatStaysIsUnchanged) {
    commit("good");
    write_faulty_kernel(); // what is not committed is the head, too
    const Ran brings = run("--base good " + json());
    EXPECT_EQ(brings.status, 1) << brings.out;
    EXPECT_TRUE(has(brings.out, "problems: 1 new, 0 gone, 0 unchanged since good (")) << brings.out;
    EXPECT_TRUE(has(brings.out, std::string("\nnew: ") + kProblem)) << brings.out;
    EXPECT_EQ(report().at("base").at("new").size(), 1U);

    commit("faulty");
    // A hook's git variables name another repository's business.
    const Ran stays = run("--base HEAD " + json(), "GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere/index");
    EXPECT_EQ(stays.status, 1) << stays.out;
    EXPECT_TRUE(has(stays.out, "problems: 0 new, 0 gone, 1 unchanged since HEAD (")) << stays.out;
    EXPECT_FALSE(has(stays.out, "\nnew: ")) << stays.out;
    EXPECT_EQ(report().at("base").at("unchanged").size(), 1U);
    expect_nothing_is_left();
}

TEST_F(BaseTool, ARegistrationThatTheBaseLacksHasNoProblemsThere) {
    folder_.write("repository/contracts/registry/square.toml", [] {
        std::string text = kRegistration;
        text.replace(text.find("name = \"square\"\noracle"), 15, "name = \"older\"");
        text.replace(text.find("{ block"), 7, "{ symbol = \"square\", block");
        return text;
    }());
    commit("older");
    folder_.write("repository/contracts/registry/square.toml", kRegistration);
    write_faulty_kernel();
    const Ran ran = run("--filter square --base older");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "problems: 1 new, 0 gone, 0 unchanged since older (")) << ran.out;
}

TEST_F(BaseTool, ABaseThatCannotBeRunIsNotCompared) {
    folder_.write("repository/contracts/square.hip", "this is no kernel");
    commit("broken");
    write_kernel("", "");
    const Ran ran = run("--base broken " + json());
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "problems: not compared with broken (")) << ran.out;
    EXPECT_TRUE(has(ran.out, "square.hip")) << ran.out;
    EXPECT_TRUE(report().at("base").contains("not_compared"));
    EXPECT_EQ(report().at("exit_status"), 1);
    EXPECT_EQ(run("--allow-unchecked --base broken").status, 0);
    expect_nothing_is_left();
}

TEST_F(BaseTool, ARevisionThatIsNotThereIsStatus2) {
    commit("first");
    git("commit -q --allow-empty -m second");
    for (const char* base : {"no-such-branch", "0123456789012345678901234567890123456789", "-q", "''"}) {
        const Ran ran = run(fmt::format("--base={}", base));
        EXPECT_EQ(ran.status, 2) << base << "\n" << ran.out;
        EXPECT_TRUE(has(ran.out, "--base")) << base << "\n" << ran.out;
    }
    const Ran unknown = run("--base no-such-branch");
    EXPECT_TRUE(has(unknown.out, "--base \"no-such-branch\": no such commit in ")) << unknown.out;
    EXPECT_FALSE(has(unknown.out, "shallow")) << unknown.out;

    const std::string first = git("rev-parse first");
    git("tag -d first");
    const fs::path shallow = folder_.path() / "shallow";
    git(fmt::format("clone -q --depth 1 file://{} {}", repository().string(), shallow.string()));
    fs::remove_all(repository());
    fs::rename(shallow, repository());
    const Ran lacks = run("--base " + first.substr(0, first.size() - 1));
    EXPECT_EQ(lacks.status, 2) << lacks.out;
    EXPECT_TRUE(has(lacks.out, "shallow clone")) << lacks.out;

    fs::remove_all(repository() / ".git");
    const Ran none = run("--base HEAD", fmt::format("GIT_CEILING_DIRECTORIES={}", folder_.path().string()));
    EXPECT_EQ(none.status, 2) << none.out;
    EXPECT_TRUE(has(none.out, "is in no git checkout")) << none.out;
}

TEST_F(BaseTool, ASignalLeavesNothingBehind) {
    write_kernel("if (i >= count) return;", "while (i < count) __builtin_amdgcn_s_sleep(1);");
    commit("endless");
    write_kernel("", "");
    for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
        const Running running(command("--timeout 86400 --base endless"));
        while (running.alive() && worktree_folders() == 0) (void)usleep(1000);
        EXPECT_TRUE(running.alive());
        running.signal(number);
        const Ran ran = running.end();
        if (number == SIGKILL)
            EXPECT_EQ(ran.signal, number) << ran.out;
        else
            EXPECT_EQ(ran.status, 130) << ran.out;
        expect_nothing_is_left();
    }
}

TEST_F(BaseTool, AFolderForTheWorktreeInTheCheckoutIsRefused) {
    commit("good");
    fs::create_directories(repository() / "tmp");
    const Ran ran = run("--base HEAD", "TMPDIR=" + (repository() / "tmp").string());
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "lies in the checkout")) << ran.out;
}

TEST_F(BaseTool, ADeviceThatLoadedSomethingElseFailsGate5) {
    const Ran lie =
        run("--gates 5 " + json(), fmt::format("HKC_EMBEDDED_DEVICE={}/lib/libbase_lying_device.so", HKC_BINARY_DIR));
    EXPECT_EQ(lie.status, 1) << lie.out;
    EXPECT_TRUE(has(lie.out, "gate 5 limits: differs from the loaded object: gfx1151 square vgpr: numRegs of the "
                             "loaded kernel "))
        << lie.out;
    const auto gate = report().at("kernels").at(0).at("gates").at(0);
    EXPECT_EQ(gate.at("findings").size(), 1U);
    const std::string unchecked = gate.at("unchecked").dump();
    EXPECT_TRUE(has(unchecked, "square scratch: the device does not say what it loaded: hipFuncGetAttribute of "
                               "localSizeBytes: hipErrorNotSupported"))
        << unchecked;
    const Ran truth = run("--gates 5 " + json());
    EXPECT_TRUE(report().at("kernels").at(0).at("gates").at(0).at("findings").empty()) << truth.out;
}

} // namespace
