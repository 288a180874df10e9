#include "contract/page/page.h"

#include "tests/page/reports.h"

#include <gtest/gtest.h>

namespace hkc::page {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string page_of(const ReadReport& report, const RunOutcome* base = nullptr) {
    return page_html({report, base, "the base", [](const std::string& file) -> std::optional<std::string> {
                          if (file != "k.hip") return std::nullopt;
                          return "one\ntwo\nthree\nx < y;\nfive\nsix\nseven\n";
                      }});
}

TEST(Page, HoldsEveryPart) {
    const std::string page = page_of(two_chips());
    EXPECT_TRUE(has(page, "NOT as contracted."));
    EXPECT_TRUE(has(page, "commit <code>0123abc</code>"));
    EXPECT_TRUE(has(page, "SUMMARY gfx1151 2 kernels: 1 pass gates 1-2, 1 fail"));
    EXPECT_TRUE(has(page, "<span class=\"fail\">fail 2</span><br><span class=\"pass\">pass 1</span>"));
    EXPECT_TRUE(has(page, "<span class=\"missed\">missed</span>"));
    EXPECT_TRUE(has(page, "no gate failed"));
    EXPECT_TRUE(has(page, "<td data-column=\"gfx1030\"><span class=\"dim\">none</span></td>")) << "wide has one chip";
    EXPECT_TRUE(has(page, "128 <span class=\"bar\" aria-hidden=\"true\"><i style=\"width:50%\">"));
}

TEST(Page, EscapesWhatAReportSays) {
    const std::string page = page_of(two_chips());
    EXPECT_FALSE(has(page, "<b>")) << "a finding's text";
    EXPECT_TRUE(has(page, "v_x &lt;b&gt;&quot;it&quot;&lt;/b&gt; &amp; &#39;more&#39;"));
    EXPECT_FALSE(has(page, "<script>alert"));
    EXPECT_TRUE(has(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
    ReadReport control = two_chips();
    control.outcome.kernels[0].name = std::string("a\0\x1b[1m", 6);
    EXPECT_EQ(page_of(control).find('\0'), std::string::npos);
    EXPECT_EQ(page_of(control).find('\x1b'), std::string::npos);
}

TEST(Page, QuotesTheLinesAboutAFinding) {
    const std::string page = page_of(two_chips());
    EXPECT_TRUE(
        has(page, "<pre>    2  two\n    3  three\n<mark>    4  x &lt; y;</mark>\n    5  five\n    6  six\n</pre>"));
    for (const char* place : {"other.hip:4", "k.hip:0", "k.hip:99", "k.hip", "k.hip:4x", ":", "k.hip:"}) {
        ReadReport report = two_chips();
        report.outcome.kernels[1].gates[1].findings[0].source = place;
        EXPECT_FALSE(has(page_of(report), "<mark>")) << place;
        EXPECT_TRUE(has(page_of(report), std::string("<code>") + place + "</code>")) << place;
    }
}

TEST(Page, TellsWhatChangedAgainstTheBase) {
    const ReadReport report = two_chips();
    EXPECT_FALSE(has(page_of(report), "not in the base"));
    ReadReport base = two_chips();
    base.outcome.kernels.pop_back();
    base.outcome.kernels[1].costs = {cost_of("tile", 60, 16)};
    const std::string page = page_of(report, &base.outcome);
    EXPECT_TRUE(has(page, "base the base"));
    EXPECT_TRUE(has(page, "64 <span class=\"more\">+4</span>"));
    EXPECT_TRUE(has(page, "wide <span class=\"dim\">(not in the base)</span>"));
}

TEST(Page, AsksNothingOfTheNetwork) {
    const std::string page = page_of(two_chips());
    for (const char* way : {"http:", "https:", "src=", "@import", "url("}) EXPECT_FALSE(has(page, way)) << way;
}

TEST(Page, WhatIsGreenSaysSoAndAnEmptyRunIsNot) {
    ReadReport report = two_chips();
    report.outcome.controls.clear();
    report.outcome.kernels[1].gates[1] = gate_result(2, Status::kPass);
    EXPECT_TRUE(has(page_of(report), "All is as contracted."));
    EXPECT_TRUE(has(page_of(report), "None: no finding, nothing unchecked"));
    report.outcome.kernels.clear();
    EXPECT_TRUE(has(page_of(report), "NOT as contracted."));
}

} // namespace
} // namespace hkc::page
