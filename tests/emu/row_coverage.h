// A table of semantic rows is tested whole: every row is named by a case.
#pragma once

#include "peacemaker/emu/row.h"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>
#include <vector>

namespace pm::testing {

/// Fails the current test for each row that no case's `row` names.
template <typename Case>
void expect_rows_covered(std::span<const emu::Row> rows, const std::vector<Case>& cases) {
    std::set<std::string> tested;
    for (const Case& c : cases) tested.insert(c.row);
    for (const emu::Row& row : rows) EXPECT_TRUE(tested.contains(std::string(row.name))) << row.name;
}

} // namespace pm::testing
