#include "contract/receipt/private_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hkc::receipt {
namespace {

using Names = std::vector<std::string>;

// The names are put together here, so that this file holds none of them itself.
const std::string kSlash = "/", kAt = "@";

TEST(PrivateNames, PathsOfOneMachineAreFound) {
    for (const std::string& path : {kSlash + "home/someone/tree", kSlash + "tmp/x", kSlash + "opt/rocm/bin/clang++",
                                    std::string("~") + "/tree", std::string("C:") + "\\Users\\x"})
        for (const std::string before : {"", "in ", "\"", "(", "=", "path:", "'", "`"})
            EXPECT_EQ(private_names_in(before + path, {}), Names{path}) << before << path;
    EXPECT_EQ(private_names_in(kSlash + "a/b and " + kSlash + "a/b and " + kSlash + "c/d", {}),
              (Names{kSlash + "a/b", kSlash + "c/d"}));
}

TEST(PrivateNames, WhatOnlyLooksLikeAPathIsNone) {
    for (const std::string& text :
         {std::string("registry/a.toml:12"), std::string("1/2 and m/n"), std::string("shard 2/3"),
          std::string("and /or"), std::string("a // b/c"), std::string("https:") + "//example.org/a/b",
          std::string("~3"), std::string("v[2:3]"), std::string("x|\\y"), std::string("1~deb12u1"),
          std::string("HEAD@{1}"), std::string("a @ b")})
        EXPECT_EQ(private_names_in(text, {}), Names{}) << text;
}

TEST(PrivateNames, HostsAndUsersAreFoundAsWholeWords) {
    EXPECT_EQ(private_names_in("by someone" + kAt + "builder.example", {}), Names{"someone" + kAt + "builder.example"});
    EXPECT_EQ(private_names_in("run on buildbox7, twice on buildbox7", {"buildbox7", "someone"}), Names{"buildbox7"});
    EXPECT_EQ(private_names_in("someone's tree", {"someone"}), Names{"someone"});
    EXPECT_EQ(private_names_in("someones tree, awesomeone, some_one, someone_else", {"someone"}), Names{});
}

TEST(PrivateNames, WordsThatSayNothingAreNoNames) {
    for (const std::string& name : own_names()) {
        EXPECT_GE(name.size(), 3U);
        EXPECT_NE(name, "root");
        EXPECT_NE(name, "localhost");
    }
}

} // namespace
} // namespace hkc::receipt
