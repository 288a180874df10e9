#include "contract/receipt/reason.h"

#include <gtest/gtest.h>

namespace hkc::receipt {
namespace {

TEST(Reason, SomethingASentenceCouldSayIsOne) {
    for (const char* reason : {"no model has 8 rows any more", "the model has 96", "upstream removed it, see #123",
                               "TODO list of the project no longer has it",
                               "\xe6\xb2\xa1\xe6\x9c\x89\xe6\xa8\xa1\xe5\x9e\x8b", // no blanks there
                               "gew\xc3\xbcnschte \xc3\x84nderung"})
        EXPECT_EQ(why_no_reason(reason), "") << reason;
}

TEST(Reason, NothingThatCanBeSeenIsBlank) {
    for (const std::string& reason :
         {std::string(), std::string(" "), std::string("  \t "), std::string("\0\x01\x7f", 3), std::string("..., -- !"),
          std::string("1 2 3"), std::string("\xc2\xa0\xc2\xa0"),                 // no-break space
          std::string("\xe3\x80\x80\xe3\x80\x80\xe3\x80\x80"),                   // ideographic space
          std::string("\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b"),       // zero width
          std::string("\xef\xbb\xbf"), std::string("\xe2\xa0\x80 \xe2\xa0\x80"), // byte order mark, empty braille
          std::string("\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")})                      // no UTF-8
        EXPECT_EQ(why_no_reason(reason), "it is blank") << reason;
}

TEST(Reason, APlaceholderIsNone) {
    for (const char* reason :
         {"TODO", "tbd", "T.B.D.", "FIXME later", "n/a", "N/A - none", "no reason given", "NO REASON GIVEN", "<reason>",
          "to be filled in", "xxxxxxxxxx", "why?", "test test", "TODO: add the reason here", "lorem ipsum"})
        EXPECT_EQ(why_no_reason(reason), "it is a placeholder") << reason;
}

TEST(Reason, AWordOrAFewLettersOrTwoLinesAreNone) {
    for (const char* reason : {"cleanup", "ok so", "it is"})
        EXPECT_EQ(why_no_reason(reason), "expected at least 2 words and 8 letters") << reason;
    EXPECT_EQ(why_no_reason("the model has 96\nrows"), "it is of more than one line");
}

TEST(Reason, TextThatIsHiddenOrTurnedIsNone) {
    for (const std::string& reason : {std::string("the model \xe2\x80\xae has 96"), // right to left from here
                                      std::string("the mod\xe2\x80\x8b"
                                                  "el has 96"),                         // a blank of no width
                                      std::string("the model has\xc2\xad 96"),          // a soft hyphen
                                      std::string("the model has 96 \xf3\xa0\x81\xa1"), // a tag
                                      std::string("the model \xe2\x81\xa6has 96"),      // an isolate
                                      std::string("the model\x1b[8m has 96")})          // a terminal's
        EXPECT_EQ(why_no_reason(reason), "it hides or turns text") << reason;
    EXPECT_FALSE(hides_text("a tab\tand \xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xd9\x88\xd8\xa7\xd9\x87\xd9\x85"))
        << "a joiner";
    EXPECT_TRUE(hides_text("line\n"));
}

} // namespace
} // namespace hkc::receipt
