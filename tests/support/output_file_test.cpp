#include "peacemaker/support/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

TEST(MissingFolder, IsToldOfAFileThatHasNone) {
    std::string name = testing::TempDir() + "hkc_output_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    std::ofstream(name + "/file") << "x";
    EXPECT_EQ(pm::missing_folder("report.json"), "");
    EXPECT_EQ(pm::missing_folder("/report.json"), "");
    EXPECT_EQ(pm::missing_folder(name + "/report.json"), "");
    EXPECT_EQ(pm::missing_folder(name + "/none/report.json"),
              name + "/none/report.json: there is no folder " + name + "/none");
    EXPECT_NE(pm::missing_folder(name + "/file/report.json"), "") << "a file is no folder";
    std::filesystem::remove_all(name);
}

} // namespace
