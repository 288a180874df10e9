// `peacemaker mutate` and `peacemaker score` as programs: files, output, exit status.
#include "tests/certify/certify_rig.h"
#include "tests/tools/peacemaker_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace pm::testing {
namespace {

namespace fs = std::filesystem;

class ScoreTool : public PeacemakerTool {
protected:
    std::string object(const std::string& name, const std::string& body) const {
        KernelText kernel;
        kernel.name = name;
        kernel.body = body;
        kernel.max_block = 64;
        return file(name + ".co", object_of(**find_chip("gfx1100"), kernel).bytes);
    }
};

constexpr const char* kGood = "gload v2, v1\nwait_load 0\nv_mov_b32 v3, v2\n";

TEST_F(ScoreTool, MutateWritesACopyEachAndTheirIndex) {
    const std::string path = object("good", kGood), out = folder_.path("mutants");
    const Ran ran = peacemaker("mutate " + path + " --out " + out);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.out, "MUTATE " + path + " gfx1100 2 mutants in " + out + "\n");
    const auto index = nlohmann::json::parse(*read_file(out + "/index.json"));
    ASSERT_EQ(index["mutants"].size(), 2U);
    const std::string original = *read_file(path);
    for (const auto& mutant : index["mutants"]) {
        const std::string bytes = *read_file(fs::path(out) / mutant["file"].get<std::string>());
        ASSERT_EQ(bytes.size(), original.size());
        const auto at = mutant["file_offset"].get<std::size_t>();
        EXPECT_NE(bytes.substr(at, 4), original.substr(at, 4));
        EXPECT_EQ(bytes.substr(0, at) + bytes.substr(at + 4), original.substr(0, at) + original.substr(at + 4));
        EXPECT_EQ(mutant["instruction"], "s_waitcnt vmcnt(0)");
    }
    EXPECT_EQ(peacemaker("certify " + out + "/00000.co").status, 1) << "the mutant is what the index says";
    std::ofstream(out + "/notes.txt") << "mine";
    EXPECT_EQ(peacemaker("mutate " + path + " --out " + out).status, 2) << "it is no folder of mutants alone";
}

TEST_F(ScoreTool, ScoreEndsWithOneWhereAMutantIsMissed) {
    const Ran good = peacemaker("score " + object("good", kGood));
    EXPECT_EQ(good.status, 0) << good.out << good.errors;
    EXPECT_NE(good.out.find("SCORE 1 objects: 2 mutants: 2 killed, 0 equivalent, 0 missed: 100 %\n"), std::string::npos)
        << good.out;
    const std::string unread = object("unread", "gload v2, v1\nwait_load 0\n");
    const Ran missed = peacemaker("score " + unread);
    EXPECT_EQ(missed.status, 1);
    EXPECT_NE(missed.out.find("missed gfx1100 wait unread+0x"), std::string::npos) << missed.out;
    EXPECT_EQ(peacemaker("score --target barrier,clause " + unread).status, 3) << "nothing of these is there";
    const Ran json = peacemaker("score --json " + unread);
    EXPECT_EQ(nlohmann::json::parse(json.out)["missed"], 2);
}

TEST_F(ScoreTool, TheWorkgroupIsTheOneThatIsNamed) {
    const std::string path = object("two", "s_barrier\n");
    EXPECT_EQ(peacemaker("score --target barrier " + path).status, 1) << "up to 64 work-items";
    const Ran one = peacemaker("score --target barrier --workgroup 8,4 --dynamic-lds 64 " + path);
    EXPECT_NE(one.out.find("1 mutants: 0 killed, 1 equivalent, 0 missed"), std::string::npos) << one.out << one.errors;
    const Ran large = peacemaker("score --target barrier --workgroup 128 " + path);
    EXPECT_EQ(large.status, 3);
    EXPECT_NE(large.out.find("the workgroup has 128 work-items, and the kernel allows 1 to 64"), std::string::npos)
        << large.out;
}

TEST_F(ScoreTool, NothingJudgedIsNoPass) {
    EXPECT_EQ(peacemaker("score " + object("none", "v_mov_b32 v1, 0\n")).status, 3);
    EXPECT_EQ(peacemaker("score " + object("jump", "wait_load 0\ns_setpc_b64 s[4:5]\n")).status, 3);
}

TEST_F(ScoreTool, BadUsageEndsWithTwo) {
    const std::string path = object("good", kGood);
    EXPECT_EQ(peacemaker("score").status, 2);
    EXPECT_EQ(peacemaker("score --registry " + path).status, 2);
    const Ran target = peacemaker("score --target barier " + path);
    EXPECT_EQ(target.status, 2);
    EXPECT_NE(target.errors.find("did you mean \"barrier\"?"), std::string::npos) << target.errors;
    EXPECT_EQ(peacemaker("score " + path + " --kernel bad").status, 2);
    EXPECT_EQ(peacemaker("score " + path + " --workgroup 0").status, 2);
    const Ran declared = peacemaker("score --registry --workgroup 32");
    EXPECT_EQ(declared.status, 2);
    EXPECT_NE(declared.errors.find("--workgroup"), std::string::npos) << declared.errors;
    EXPECT_EQ(peacemaker("mutate " + path).status, 2);
    EXPECT_EQ(peacemaker("mutate " + path + " --out /proc/none").status, 2);
    EXPECT_EQ(peacemaker("mutate " + folder_.path("none") + " --out " + folder_.path("x")).status, 2);
}

// Gate 2 sees a missing wait for what a kernel reads, as certify does.
TEST_F(ScoreTool, RegistryMutantsRunThroughTheGates) {
    const fs::path root = folder_.path("tree");
    fs::create_directories(root / "registry");
    std::ofstream(root / "toolchains.toml") << "[[toolchain]]\nname = \"clang-22.1.8\"\nkind = \"clang\"\nversion = "
                                               "\"22.1.8\"\npinned = true\ncompilers = [\"clang++-22\"]\n";
    std::ofstream(root / "k.hip")
        << R"(extern "C" __attribute__((global)) void relu(const unsigned short* v, unsigned short* out, int count) {
    const int i = __builtin_amdgcn_workgroup_id_x() * 32 + __builtin_amdgcn_workitem_id_x();
    if (i >= count) return;
    const float x = __builtin_bit_cast(float, (unsigned)v[i] << 16);
    const float r = x < 0.0f ? 0.0f : x;
    const unsigned u = __builtin_bit_cast(unsigned, r * r);
    out[i] = (unsigned short)(r != r ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
)";
    std::ofstream(root / "registry/k.toml") << R"toml([family]
name = "k"
source = "k.hip"
flags = ["-O3"]
chips = ["gfx1151"]

[[kernel]]
name = "relu"
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
    const Ran ran = peacemaker("score --registry --json --root " + root.string());
    ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.out << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    ASSERT_EQ(json["objects"].size(), 2U);
    EXPECT_EQ(json["objects"][0]["where"], "relu certify");
    EXPECT_EQ(json["objects"][1]["where"], "relu gates 1-4");
    std::size_t waits = 0, masks = 0;
    for (const auto& object : json["objects"])
        for (const auto& mutant : object["mutants"]) {
            EXPECT_NE(mutant["fate"], "unchecked") << mutant.dump();
            if (mutant["target"] == "wait" && mutant["becomes"] == "s_nop 0") {
                EXPECT_EQ(mutant["fate"], "killed") << mutant.dump();
                ++waits;
            }
            // A work-item past the end writes outside: only the gates see that.
            const bool mask = mutant["target"] == "exec mask" && mutant["fate"] == "killed";
            if (mask && object["where"] == "relu gates 1-4") ++masks;
        }
    EXPECT_GE(waits, 4U);
    EXPECT_GE(masks, 1U);
}

} // namespace
} // namespace pm::testing
