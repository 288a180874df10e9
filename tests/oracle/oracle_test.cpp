#include "contract/oracle/oracle.h"

#include "contract/oracle/plugin.h"
#include "peacemaker/support/file.h"

#include <gtest/gtest.h>

#include <cmath>

#include <dlfcn.h>
#include <link.h>

namespace {

TEST(Oracle, FindsWhatItNames) {
    const std::vector<std::string> names = hkc::oracle_names();
    for (const char* wanted : {"affine", "affine_relu2", "relu2"})
        EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
    for (const std::string& name : names) EXPECT_NE(hkc::find_oracle(name), nullptr) << name;
    EXPECT_EQ(hkc::find_oracle("affin"), nullptr);
    EXPECT_EQ(hkc::find_oracle(""), nullptr);
}

TEST(Oracle, Contains) {
    const hkc::OutputBound interval{-1, 2};
    EXPECT_TRUE(hkc::contains(interval, -1));
    EXPECT_TRUE(hkc::contains(interval, 2));
    EXPECT_TRUE(hkc::contains(interval, -0.0));
    EXPECT_FALSE(hkc::contains(interval, std::nextafter(2.0, 3)));
    EXPECT_FALSE(hkc::contains(interval, std::nextafter(-1.0, -2)));
    for (const double special : {double{INFINITY}, -double{INFINITY}, std::nan("")})
        EXPECT_FALSE(hkc::contains(interval, special));

    const hkc::OutputBound only_nan{0, 0, false, false, false, true};
    EXPECT_TRUE(hkc::contains(only_nan, std::nan("")));
    EXPECT_FALSE(hkc::contains(only_nan, 0));
    const hkc::OutputBound neg_inf{0, 0, false, false, true, false};
    EXPECT_TRUE(hkc::contains(neg_inf, -INFINITY));
    EXPECT_FALSE(hkc::contains(neg_inf, INFINITY));
}

TEST(Oracle, LoadsALibraryOfOraclesOnce) {
    const hkc::Oracle* before = hkc::find_oracle("affine");
    const pm::Result<void> loaded = hkc::load_oracles(ORACLE_LIBRARY);
    ASSERT_TRUE(loaded) << loaded.error().text;
    EXPECT_EQ(hkc::find_oracle("affine"), before);
    const hkc::Oracle* ones = hkc::find_oracle("outside_ones");
    ASSERT_NE(ones, nullptr);
    hkc::OracleInput input;
    input.buffers["a"];
    const pm::Result<hkc::OracleOutput> out = (*ones)(input);
    ASSERT_TRUE(out);
    ASSERT_EQ(out->at("y").size(), 1u);
    EXPECT_EQ(out->at("y")[0].lo, 1);

    const pm::Result<void> again = hkc::load_oracles(ORACLE_LIBRARY);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().text.find("\"outside_ones\" is there already"), std::string::npos) << again.error().text;
}

TEST(Oracle, ALibraryWithoutAFolderIsThatOfTheCurrentOne) {
    const std::filesystem::path before = std::filesystem::current_path(), library = ORACLE_LIBRARY;
    std::filesystem::current_path(library.parent_path());
    const auto others = hkc::OtherOracles::load({library.filename()});
    std::filesystem::current_path(before);
    ASSERT_TRUE(others) << others.error().text;
    EXPECT_EQ(hkc::loaded_oracle_libraries().size(), 1U);
}

TEST(Oracle, ALoadedLibraryIsKnownByNameAndHash) {
    const auto others = hkc::OtherOracles::load({ORACLE_LIBRARY});
    ASSERT_TRUE(others) << others.error().text;
    const auto bytes = pm::read_file(ORACLE_LIBRARY);
    ASSERT_TRUE(bytes);
    const std::vector<hkc::OracleLibrary> expected{{"liboracle_library.so", pm::sha256_hex(*bytes)}};
    EXPECT_EQ(hkc::loaded_oracle_libraries(), expected);
    EXPECT_EQ(hkc::libraries_text(expected), "liboracle_library.so sha256 " + pm::sha256_hex(*bytes));
    EXPECT_EQ(hkc::libraries_text({}), "none");
    EXPECT_EQ(hkc::libraries_text({{"a.so", "1"}, {"b.so", "2"}}), "a.so sha256 1, b.so sha256 2");
}

TEST(Oracle, OtherOraclesTakeThePlaceOfAllWhileTheyLive) {
    const auto outer = hkc::OtherOracles::load({ORACLE_LIBRARY});
    ASSERT_TRUE(outer) << outer.error().text;
    const hkc::Oracle* ones = hkc::find_oracle("outside_ones");
    ASSERT_NE(ones, nullptr);
    {
        const auto inner = hkc::OtherOracles::load({});
        ASSERT_TRUE(inner) << inner.error().text;
        EXPECT_EQ(hkc::find_oracle("outside_ones"), nullptr);
        EXPECT_NE(hkc::find_oracle("affine"), nullptr);
        EXPECT_TRUE(hkc::loaded_oracle_libraries().empty());
        const auto again = hkc::OtherOracles::load({ORACLE_LIBRARY});
        ASSERT_TRUE(again) << again.error().text;
        EXPECT_NE(hkc::find_oracle("outside_ones"), nullptr);
    }
    EXPECT_EQ(hkc::find_oracle("outside_ones"), ones);
    const auto broken = hkc::OtherOracles::load({ORACLE_LIBRARY_TAKEN});
    EXPECT_FALSE(broken);
    EXPECT_EQ(hkc::find_oracle("outside_ones"), ones) << "as if it had not been tried";
    EXPECT_EQ(hkc::loaded_oracle_libraries().size(), 1U);
}

TEST(Oracle, ALibraryThatTakesANameAddsNothing) {
    const std::vector<std::string> before = hkc::oracle_names();
    const pm::Result<void> loaded = hkc::load_oracles(ORACLE_LIBRARY_TAKEN);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().text.find(ORACLE_LIBRARY_TAKEN), std::string::npos) << loaded.error().text;
    EXPECT_EQ(hkc::oracle_names(), before);
}

TEST(Oracle, WhatIsNoOracleLibrary) {
    const pm::Result<void> missing = hkc::load_oracles("/nowhere/liboracle.so");
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text.find("/nowhere/liboracle.so"), std::string::npos);
    // The loader's folders have one of this name.
    const pm::Result<void> elsewhere = hkc::load_oracles("libm.so.6");
    ASSERT_FALSE(elsewhere);
    EXPECT_NE(elsewhere.error().text.find("./libm.so.6: cannot open"), std::string::npos) << elsewhere.error().text;
    link_map* math = nullptr;
    void* handle = dlopen("libm.so.6", RTLD_NOW);
    ASSERT_EQ(dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&math)), 0);
    const pm::Result<void> foreign = hkc::load_oracles(math->l_name);
    dlclose(handle);
    ASSERT_FALSE(foreign);
    EXPECT_NE(foreign.error().text.find("no symbol hkc_register_oracles"), std::string::npos) << foreign.error().text;
}

} // namespace
