#include "contract/report/progress.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using hkc::progress_text;

TEST(Progress, CountsAlone) {
    EXPECT_EQ(progress_text("compiling", 0, 0, 0ms), "compiling 0 of 0");
    EXPECT_EQ(progress_text("compiling", 0, 260, 1h), "compiling 0 of 260"); // nothing to reckon from
    EXPECT_EQ(progress_text("compiling", 1, 260, 1999ms), "compiling 1 of 260");
    EXPECT_EQ(progress_text("compiling", 260, 260, 1h), "compiling 260 of 260");
}

TEST(Progress, AnEstimateIsTheTimeOfOneByThoseLeft) {
    EXPECT_EQ(progress_text("running", 1, 2, 2s), "running 1 of 2, about 2 s left");
    EXPECT_EQ(progress_text("running", 10, 20, 59s), "running 10 of 20, about 59 s left");
    EXPECT_EQ(progress_text("running", 10, 20, 60s), "running 10 of 20, about 1 min left");
    EXPECT_EQ(progress_text("running", 10, 40, 30s), "running 10 of 40, about 2 min left"); // 90 s
    EXPECT_EQ(progress_text("running", 1, 4, 50min), "running 1 of 4, about 2 h 30 min left");
}

} // namespace
