// The page in headless Chromium, with a script of the test's behind it that does what a user does.

#include "contract/page/page.h"
#include "contract/toolchain/subprocess.h"
#include "tests/page/reports.h"
#include "tests/toolchain/scratch_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace hkc::page {
namespace {

class Browser : public testing::Test {
protected:
    /// The document after `script` ran behind the page's own; what the console was told is in `said`.
    std::string document_after(const std::string& script, std::string& said) const {
        const auto file =
            folder_.write("page.html", page_html({two_chips(), nullptr, "", {}}) + "<script>" + script + "</script>\n");
        const auto done =
            run({{"/usr/bin/env", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                  "--no-first-run", "--enable-logging=stderr",
                  "--user-data-dir=" + (folder_.path() / "profile").string(), "--dump-dom", "file://" + file.string()},
                 folder_.path(),
                 {"PATH=/usr/bin:/bin", "HOME=" + folder_.path().string(), "LC_ALL=C.UTF-8"}});
        if (!done || !done->succeeded()) {
            ADD_FAILURE() << (done ? done->how() + done->err : done.error().text);
            return "";
        }
        said = done->err;
        return done->out;
    }

    ScratchFolder folder_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Browser, ThePageRendersAndTheConsoleSaysNothing) {
    std::string said;
    const std::string document = document_after("", said);
    EXPECT_TRUE(has(document, "<output id=\"shown\" class=\"dim\">9 of 9 rows</output>")) << document;
    EXPECT_FALSE(has(said, "CONSOLE")) << said;
    std::string wrong;
    (void)document_after("nothing_of_that_name();", wrong);
    EXPECT_TRUE(has(wrong, "CONSOLE")) << "an error would be seen: " << wrong;
}

TEST_F(Browser, TheFilterLeavesTheRowsAndColumnsThatAreMeant) {
    std::string said;
    const std::string document = document_after(
        R"js(
const set = (id, value) => { const at = document.getElementById(id); at.value = value;
  at.dispatchEvent(new Event("input", {bubbles: true})); };
const told = (name) => { const line = document.createElement("p");
  line.textContent = name + ": " + document.getElementById("shown").textContent + ", " +
    [...document.querySelectorAll("[data-column]")].filter((c) => !c.hidden && c.tagName === "TH").length + " columns";
  document.body.append(line); };
set("text", "TILE v_x"); told("words");
set("text", ""); set("chip", "gfx1030"); told("chip");
set("chip", ""); set("status", "missed"); told("status");
set("status", ""); told("all");
)js",
        said);
    EXPECT_TRUE(has(document, "words: 1 of 9 rows, 2 columns")) << document;
    EXPECT_TRUE(has(document, "chip: 3 of 9 rows, 1 columns")) << "a gate row, a cost row, and fidelity";
    EXPECT_TRUE(has(document, "status: 1 of 9 rows, 2 columns"));
    EXPECT_TRUE(has(document, "all: 9 of 9 rows, 2 columns"));
    EXPECT_FALSE(has(said, "CONSOLE")) << said;
}

} // namespace
} // namespace hkc::page
