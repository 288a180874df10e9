#include "peacemaker/emu/row.h"

#include <gtest/gtest.h>

#include <array>

namespace {

pm::emu::Row named(std::string_view name) {
    pm::emu::Row row;
    row.name = name;
    return row;
}

TEST(RowIndex, FindsEachRowOfEveryTable) {
    const std::array<pm::emu::Row, 2> first = {named("V_A"), named("V_B")};
    const std::array<pm::emu::Row, 1> second = {named("V_C")};
    const auto index = pm::emu::index_of({first, second});
    ASSERT_TRUE(index);
    EXPECT_EQ(index->at("V_B"), &first[1]);
    EXPECT_EQ(index->at("V_C"), second.data());
    EXPECT_EQ(index->size(), 3u);
}

TEST(RowIndex, RefusesTwoRowsOfOneName) {
    const std::array<pm::emu::Row, 2> first = {named("V_A"), named("V_B")};
    const std::array<pm::emu::Row, 1> second = {named("V_A")};
    const auto index = pm::emu::index_of({first, second});
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().text, "two rows are named V_A");
}

TEST(RowIndex, TheTablesNameEachInstructionOnce) {
    const auto index = pm::emu::index_of(pm::emu::all_rows());
    ASSERT_TRUE(index) << index.error().text;
    EXPECT_GT(index->size(), 900u);
    EXPECT_EQ(pm::emu::find_row("V_ADD_F32"), index->at("V_ADD_F32"));
    EXPECT_EQ(pm::emu::find_row("V_NOT_THERE"), nullptr);
}

} // namespace
