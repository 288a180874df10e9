// A table of semantic rows is tested whole: every row is named by a case, and its name is its mnemonic.
#pragma once

#include "peacemaker/emu/row.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pm::testing {

/// A row's name as the assembler spells it.
inline std::string lower(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

/// Fails the current test for each row that no case's `row` names.
template <typename Case>
void expect_rows_covered(std::span<const emu::Row> rows, const std::vector<Case>& cases) {
    std::set<std::string> tested;
    for (const Case& c : cases) tested.insert(c.row);
    for (const emu::Row& row : rows) EXPECT_TRUE(tested.contains(std::string(row.name))) << row.name;
}

} // namespace pm::testing
