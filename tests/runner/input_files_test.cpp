#include "contract/runner/input_files.h"

#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using Files = std::vector<std::string>;

Registry registry_of(const ScratchFolder& folder) {
    Registry registry;
    registry.root = folder.path();
    Kernel kernel;
    kernel.source = "kernels/tile.hip";
    registry.kernels = {kernel};
    Control control;
    control.plant = PlantBuild{"controls/spill.hip", {}, {}};
    registry.controls = {control};
    return registry;
}

class InputFiles : public testing::Test {
protected:
    void SetUp() override {
        folder.write("toolchains.toml", "");
        folder.write("registry/b.toml", "");
        folder.write("registry/a.toml", "");
        folder.write("registry/notes.txt", "");
        folder.write("records/clang/a.json", "{}");
        folder.write("kernels/tile.hip", "#include \"tile.h\"\n  #  include \"shared/all.h\"\n#include <vector>\n");
        folder.write("kernels/tile.h", "#include \"tile.h\"\n#include \"missing.h\"\n#include \"../../outside.h\"\n");
        folder.write("shared/all.h", "int x;");
        folder.write("controls/spill.hip", "");
        folder.write("unread.hip", "");
    }

    ScratchFolder folder;
};

TEST_F(InputFiles, AreDeclarationsToolchainsRecordsSourcesAndWhatThoseInclude) {
    const auto files = input_files(registry_of(folder));
    ASSERT_TRUE(files) << files.error().text;
    EXPECT_EQ(*files, (Files{"controls/spill.hip", "kernels/tile.h", "kernels/tile.hip", "records/clang/a.json",
                             "registry/a.toml", "registry/b.toml", "shared/all.h", "toolchains.toml"}));
    const auto source = source_files(folder.path(), "kernels/tile.hip", {});
    ASSERT_TRUE(source);
    EXPECT_EQ(*source, (Files{"kernels/tile.h", "kernels/tile.hip", "shared/all.h"}));
    EXPECT_FALSE(source_files(folder.path(), "kernels/none.hip", {}));
}

TEST_F(InputFiles, AreWhateverTheFlagsLetASourceInclude) {
    folder.write("inc/tile.h", "");
    folder.write("inc/angle.h", "");
    folder.write("inc/asked.h", "");
    folder.write("inc/by_macro.h", "");
    folder.write("force.h", "");
    folder.write("kernels/all.hip", "#include <angle.h>\n#include \"tile.h\"\n#if __has_include(<asked.h>)\n#endif\n");
    folder.write("kernels/macro.hip", "#define NAME <by_macro.h>\n#include NAME\n");
    const auto all = source_files(folder.path(), "kernels/all.hip", {"-Iinc", "-include", "force.h"});
    ASSERT_TRUE(all);
    EXPECT_EQ(*all, (Files{"force.h", "inc/angle.h", "inc/asked.h", "inc/tile.h", "kernels/all.hip", "kernels/tile.h"}))
        << "which tile.h it is, the compiler decides";
    const auto macro = source_files(folder.path(), "kernels/macro.hip", {"-I", "inc"});
    ASSERT_TRUE(macro);
    EXPECT_EQ(*macro, (Files{"inc/by_macro.h", "kernels/macro.hip"}));
}

TEST_F(InputFiles, AChangeOfAnyChangesTheHashAndNothingElseDoes) {
    const auto hash = [&] {
        const auto files = input_files(registry_of(folder));
        const auto made = hash_of_files(folder.path(), *files);
        return made ? *made : made.error().text;
    };
    const std::string before = hash();
    EXPECT_EQ(before.size(), 64U);
    folder.write("unread.hip", "changed");
    folder.write("registry/notes.txt", "changed");
    EXPECT_EQ(hash(), before);
    for (const char* file : {"controls/spill.hip", "kernels/tile.h", "records/clang/a.json", "registry/a.toml",
                             "shared/all.h", "toolchains.toml"}) {
        const std::string text = text_of_file(folder.path() / file);
        folder.write(file, text + "\n");
        EXPECT_NE(hash(), before) << file;
        folder.write(file, text);
        EXPECT_EQ(hash(), before) << file;
    }
    folder.write("records/clang/b.json", "{}");
    EXPECT_NE(hash(), before);
    EXPECT_FALSE(hash_of_files(folder.path(), {"none"}));
}

} // namespace
} // namespace hkc
