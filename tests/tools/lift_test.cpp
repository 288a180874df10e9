// `peacemaker lift` as a program: its output and exit status.
#include "peacemaker/support/file.h"
#include "tests/lift/lift_objects.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sys/wait.h>

namespace {

struct Ran {
    int status = -1;
    std::string out, errors;
};

Ran peacemaker(const std::string& arguments) {
    const pm::testing::Folder folder;
    const std::string command = std::string(HKC_BINARY_DIR "/bin/peacemaker lift ") + arguments + " >" +
                                folder.path("out") + " 2>" + folder.path("err");
    const int status = std::system(command.c_str());
    const auto out = pm::read_file(folder.path("out")), errors = pm::read_file(folder.path("err"));
    return {WEXITSTATUS(status), out ? *out : "", errors ? *errors : ""};
}

class LiftTool : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder_.path(name), std::ios::binary) << bytes;
        return folder_.path(name);
    }
    pm::testing::Folder folder_;
};

TEST_F(LiftTool, EndsWithZeroWhereAllComesBack) {
    const std::string path = file("k.co", pm::testing::lift_object("clang++-22", "gfx1151", {"-O3"}));
    const Ran plain = peacemaker(path);
    EXPECT_EQ(plain.status, 0) << plain.errors;
    EXPECT_NE(plain.out.find("gfx1151: 2 kernels, 1 functions"), std::string::npos) << plain.out;
    EXPECT_NE(plain.out.find(" 0 unchecked\n"), std::string::npos) << plain.out;
    const Ran text = peacemaker(path + " --text --chip gfx1151");
    EXPECT_EQ(text.status, 0);
    EXPECT_NE(text.out.find("kernel sum at"), std::string::npos);
    const Ran json = peacemaker(path + " --json");
    EXPECT_EQ(json.status, 0);
    EXPECT_TRUE(nlohmann::json::parse(json.out)["whole"]);
}

TEST_F(LiftTool, EndsWithOneWhereSomethingIsUnchecked) {
    const std::string bytes = pm::testing::lift_object("clang++-22", "gfx1151", {"-O3"});
    const Ran cut = peacemaker(file("cut.co", bytes.substr(0, bytes.size() - 1)));
    EXPECT_EQ(cut.status, 1);
    EXPECT_NE(cut.out.find("unchecked: section headers"), std::string::npos) << cut.out;
    const Ran bundle = peacemaker(file("b.co", "__CLANG_OFFLOAD_BUNDLE__" + std::string(7, '\1')));
    EXPECT_EQ(bundle.status, 1);
    EXPECT_NE(bundle.out.find("damaged offload bundle"), std::string::npos) << bundle.out;
}

TEST_F(LiftTool, EndsWithTwoOnWhatItCannotRead) {
    const std::string path = file("k.co", pm::testing::lift_object("clang++-22", "gfx1151", {"-O3"}));
    EXPECT_EQ(peacemaker("").status, 2);
    EXPECT_EQ(peacemaker(folder_.path("none")).status, 2);
    EXPECT_EQ(peacemaker(path + " --text --json").status, 2);
    const Ran other = peacemaker(path + " --chip gfx1201");
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.errors.find("no device object for gfx1201"), std::string::npos) << other.errors;
    EXPECT_EQ(peacemaker(path + " --chip gfx9999").status, 2);
    const Ran text = peacemaker(file("t.co", "text"));
    EXPECT_EQ(text.status, 2);
    EXPECT_NE(text.errors.find("offset 0x0"), std::string::npos) << text.errors;
}

} // namespace
