// `peacemaker lift` as a program: its output and exit status.
#include "tests/lift/lift_objects.h"
#include "tests/tools/peacemaker_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pm::testing {
namespace {

class LiftTool : public PeacemakerTool {
protected:
    Ran lift(const std::string& arguments) const { return peacemaker("lift " + arguments); }
};

TEST_F(LiftTool, EndsWithZeroWhereAllComesBack) {
    const std::string path = file("k.co", lift_object("clang++-22", "gfx1151", {"-O3"}));
    const Ran plain = lift(path);
    EXPECT_EQ(plain.status, 0) << plain.errors;
    EXPECT_NE(plain.out.find("gfx1151: 2 kernels, 1 functions"), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find(" 0 unchecked\n"), std::string::npos) << plain.out;
    const Ran text = lift(path + " --text --chip gfx1151");
    EXPECT_EQ(text.status, 0);
    EXPECT_NE(text.out.find("kernel sum at"), std::string::npos);
    const Ran json = lift(path + " --json");
    EXPECT_EQ(json.status, 0);
    EXPECT_TRUE(nlohmann::json::parse(json.out)["whole"]);
}

TEST_F(LiftTool, EndsWithOneWhereSomethingIsUnchecked) {
    const std::string bytes = lift_object("clang++-22", "gfx1151", {"-O3"});
    const Ran cut = lift(file("cut.co", bytes.substr(0, bytes.size() - 1)));
    EXPECT_EQ(cut.status, 1);
    EXPECT_NE(cut.out.find("unchecked: section headers"), std::string::npos) << cut.out;
    const Ran bundle = lift(file("b.co", "__CLANG_OFFLOAD_BUNDLE__" + std::string(7, '\1')));
    EXPECT_EQ(bundle.status, 1);
    EXPECT_NE(bundle.out.find("damaged offload bundle"), std::string::npos) << bundle.out;
}

TEST_F(LiftTool, EndsWithTwoOnWhatItCannotRead) {
    const std::string path = file("k.co", lift_object("clang++-22", "gfx1151", {"-O3"}));
    EXPECT_EQ(lift("").status, 2);
    EXPECT_EQ(lift(folder_.path("none")).status, 2);
    EXPECT_EQ(lift(path + " --text --json").status, 2);
    const Ran other = lift(path + " --chip gfx1201");
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.errors.find("no device object for gfx1201"), std::string::npos) << other.errors;
    EXPECT_EQ(lift(path + " --chip gfx9999").status, 2);
    const Ran text = lift(file("t.co", "text"));
    EXPECT_EQ(text.status, 2);
    EXPECT_NE(text.errors.find("offset 0x0"), std::string::npos) << text.errors;
}

} // namespace
} // namespace pm::testing
