#include "contract/toolchain/includes.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using Names = std::vector<std::string>;
using Paths = std::vector<std::filesystem::path>;

TEST(IncludedNames, AreThoseInQuotesAndInBracketsOfEveryDirective) {
    const IncludedNames found = included_names("#include \"a.h\"\n  #  include <b/b.h> // more\n#include_next <c.h>\n"
                                               "#import \"d.h\"\n/* */ #include \"e.h\"\n%:include \"f.h\"\n"
                                               "#/**/include \"g.h\"\nint include = 1; // what \"h.h\" is\n"
                                               "#if __has_include(<i.h>) && __has_include( \"j.h\" )\n");
    EXPECT_EQ(found.names, (Names{"a.h", "b/b.h", "c.h", "d.h", "e.h", "f.h", "g.h", "i.h", "j.h"}));
    EXPECT_FALSE(found.computed);
    EXPECT_TRUE(included_names("int x;\n").names.empty());
}

TEST(IncludedNames, ThatAMacroMakesOrThatStandOnAnotherLineAreTold) {
    for (const char* text :
         {"#include NAME\n", "#if __has_include(NAME)\n", "#include \\\n\"a.h\"\n", "#include \"a\n"}) {
        const IncludedNames found = included_names(text);
        EXPECT_TRUE(found.computed) << text;
        EXPECT_TRUE(found.names.empty()) << text;
    }
}

TEST(IncludeFolders, AreTheFilesOwnTheRootAndThoseOfTheFlags) {
    const Names flags = {"-O3", "-Iinc", "-isystem", "sys", "-iquotequote", "--include-directory=long"};
    EXPECT_EQ(include_folders("kernels", flags), (Paths{"kernels", "", "inc", "sys", "quote", "long"}));
    EXPECT_EQ(paths_in_flags(Names{"-include", "force.h", "-O2"}), Paths{"force.h"});
}

} // namespace
} // namespace hkc
