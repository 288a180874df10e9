#include "contract/page/compared.h"

#include "tests/page/reports.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace hkc::page {
namespace {

constexpr const char* kReceipt = HKC_SOURCE_DIR "/docs/receipt/receipt.json";

TEST(Compared, AReceiptHoldsBothSides) {
    const auto read = read_compared({{"receipt.json", text_of_file(kReceipt)}}, std::nullopt);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_FALSE(read->report.outcome.kernels.empty());
    ASSERT_TRUE(read->base);
    EXPECT_EQ(read->base_name.size(), 40U);
    EXPECT_NE(read->base_name, read->report.description.commit);
}

TEST(Compared, TheBaseThatIsNamedGoesBeforeTheReceipts) {
    const NamedReport receipt{"receipt.json", text_of_file(kReceipt)};
    const auto read = read_compared({receipt}, receipt);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(read->base_name, read->report.description.commit);
}

TEST(Compared, WhatIsNoneIsAnErrorThatNamesTheFile) {
    const std::string receipt = text_of_file(kReceipt);
    std::string altered = receipt;
    altered[altered.find("clang")] = 'k';
    for (const std::string& text : {std::string(), std::string("{}"), std::string("[1, 2"), std::string("\xff\0", 2),
                                    receipt.substr(0, receipt.size() / 2), altered}) {
        const auto read = read_compared({{"some.json", text}}, std::nullopt);
        ASSERT_FALSE(read);
        EXPECT_NE(read.error().text.find("some.json"), std::string::npos) << read.error().text;
        EXPECT_FALSE(read_compared({{"receipt.json", receipt}}, NamedReport{"base.json", text}));
    }
}

} // namespace
} // namespace hkc::page
