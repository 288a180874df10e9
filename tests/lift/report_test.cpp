// Reports of containers: which objects are lifted, what the summary, the text and the JSON say.
#include "peacemaker/lift/report.h"

#include "tests/lift/lift_objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using pm::lift::lift_all;
using pm::lift::Report;
using pm::testing::lift_object;

pm::Container two_objects() {
    pm::Container container;
    for (const std::string chip : {"gfx1030", "gfx1201"})
        container.objects.push_back(
            {"hipv4-amdgcn-amd-amdhsa--" + chip, "f: entry " + chip, lift_object("clang++-22", chip, {"-O3"})});
    return container;
}

TEST(LiftReport, SaysWhatEachObjectCameTo) {
    const pm::Container container = two_objects();
    const Report report = lift_all(container, "");
    ASSERT_EQ(report.objects.size(), 2u);
    EXPECT_TRUE(report.whole());
    const std::string text = summary_text(report);
    for (const auto& object : container.objects) {
        const std::string line = fmt::format("{} of {} bytes equal", object.bytes.size(), object.bytes.size());
        EXPECT_NE(text.find(line), std::string::npos) << text;
    }
    EXPECT_NE(text.find("f: entry gfx1030: gfx1030: 2 kernels, 1 functions, "), std::string::npos) << text;
    EXPECT_EQ(lift_all(container, "gfx1201").objects.size(), 1u);
    EXPECT_EQ(lift_all(container, "gfx1201").objects[0].file->chip->name, "gfx1201");
    EXPECT_TRUE(lift_all(container, "gfx1100").objects.empty());
    EXPECT_FALSE(lift_all(container, "gfx1100").whole()) << "nothing was lifted";

    pm::Container plain;
    plain.objects.push_back({"", "k.co", container.objects[0].bytes});
    EXPECT_EQ(lift_all(plain, "gfx1030").objects.size(), 1u);
    EXPECT_TRUE(lift_all(plain, "gfx1201").objects.empty());
}

TEST(LiftReport, WhatIsUncheckedIsInAllOfThem) {
    pm::Container container = two_objects();
    const std::string no_object = "no object";
    std::string damaged(container.objects[1].bytes);
    damaged.resize(damaged.size() - 1);
    container.objects[0].bytes = no_object;
    container.objects[1].bytes = damaged;
    container.losses.push_back({"f", "offset 0x20: why"});
    const Report report = lift_all(container, "");
    EXPECT_FALSE(report.whole());
    const std::string text = summary_text(report);
    EXPECT_NE(text.find("f: unchecked: offset 0x20: why\n"), std::string::npos) << text;
    EXPECT_NE(text.find("f: entry gfx1030: unchecked: offset 0x0: no ELF file"), std::string::npos) << text;
    EXPECT_NE(text.find("f: entry gfx1201: offset 0x"), std::string::npos) << text;
    const auto json = nlohmann::json::parse(to_json(report));
    EXPECT_FALSE(json["whole"]);
    EXPECT_EQ(json["unchecked"][0]["reason"], "offset 0x20: why");
    EXPECT_TRUE(json["objects"][0].contains("error"));
    EXPECT_FALSE(json["objects"][1]["unchecked"].empty());
    const pm::Container whole = two_objects();
    Report lost = lift_all(whole, "");
    EXPECT_TRUE(lost.whole());
    lost.losses.push_back({"f", "offset 0x0: why"});
    EXPECT_FALSE(lost.whole());
}

TEST(LiftReport, JsonHoldsTheStructure) {
    pm::Container container;
    container.objects.push_back({"", "k.co", lift_object("clang++-22", "gfx1151", {"-O3"})});
    const Report report = lift_all(container, "");
    const auto json = nlohmann::json::parse(to_json(report));
    const auto& object = json["objects"][0];
    EXPECT_EQ(object["chip"], "gfx1151");
    EXPECT_EQ(object["bytes"], object["equal"]);
    EXPECT_TRUE(object["unchecked"].empty());
    std::uint64_t end = 0;
    for (const auto& part : object["parts"]) {
        EXPECT_EQ(part["offset"], end);
        end = part["offset"].get<std::uint64_t>() + part["bytes"].get<std::uint64_t>();
    }
    EXPECT_EQ(end, object["bytes"]);
    for (const auto& function : object["functions"]) {
        if (function["name"] != "sum") continue;
        EXPECT_TRUE(function["kernel"]);
        EXPECT_FALSE(function["innermost_loops"].empty());
        EXPECT_EQ(function["barriers"].size(), 1u);
        EXPECT_EQ(function["barriers"][0]["text"], "s_barrier");
        EXPECT_GT(function["registers"]["vgprs"], 0);
        std::size_t instructions = 0;
        for (const auto& block : function["blocks"]) instructions += block["instructions"].get<std::size_t>();
        EXPECT_EQ(instructions, function["instructions"]);
        std::set<std::string> spaces;
        for (const auto& one : function["memory"]) spaces.insert(one["space"]);
        EXPECT_TRUE(spaces.contains("lds") && spaces.contains("global") && spaces.contains("constant"));
    }
    const std::string text = program_text(report);
    EXPECT_NE(text.find("kernel sum at 0x"), std::string::npos);
    EXPECT_NE(text.find("    s_barrier "), std::string::npos);
    EXPECT_NE(text.find("notes                   .note\n"), std::string::npos);
}

} // namespace
