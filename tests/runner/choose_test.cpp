#include "contract/runner/choose.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(ParseGates, NumbersAndRanges) {
    for (const auto& [text, expected] : {std::pair<const char*, Numbers>{"1-4", {1, 2, 3, 4}},
                                         {"2", {2}},
                                         {"3,1", {1, 3}},
                                         {"1-2,2-5", {1, 2, 3, 4, 5}}}) {
        const auto gates = parse_gates(text);
        ASSERT_TRUE(gates) << text;
        EXPECT_EQ(*gates, expected) << text;
    }
    for (const char* text : {"", "0", "6", "4-1", "a", "1-", "-1", "1 ", "1-9", ","}) {
        const auto gates = parse_gates(text);
        ASSERT_FALSE(gates) << text;
        EXPECT_NE(gates.error().text.find("expected numbers from 1 to 5"), std::string::npos);
    }
}

Registry registry() {
    Registry registry;
    for (const char* name : {"tile_a", "tile_b", "relu"}) {
        Kernel kernel;
        kernel.name = name;
        kernel.chips = {"gfx1030", "gfx1151"};
        registry.kernels.push_back(kernel);
    }
    registry.kernels[2].chips = {"gfx1151"};
    Control control;
    control.name = "a wrong code";
    control.of = "tile_b";
    control.chips = {"gfx1151"};
    control.red_at = 3;
    registry.controls.push_back(control);
    return registry;
}

std::vector<std::string> names(const std::vector<Task>& tasks) {
    std::vector<std::string> names;
    for (const Task& task : tasks)
        names.push_back(task.chip + " " + (task.control != nullptr ? task.control->name : task.kernel->name));
    return names;
}

TEST(SelectTasks, TakesRegistrationsByNameAndControlsByTheirsOrTheirRegistrations) {
    const Registry r = registry();
    using Names = std::vector<std::string>;
    EXPECT_EQ(names(select_tasks(r, {"gfx1030", "gfx1151"}, "*", {1, 2, 3, 4, 5})),
              (Names{"gfx1030 tile_a", "gfx1030 tile_b", "gfx1151 tile_a", "gfx1151 tile_b", "gfx1151 relu",
                     "gfx1151 a wrong code"}));
    EXPECT_EQ(names(select_tasks(r, {"gfx1151"}, "tile_b", {1, 2, 3})),
              (Names{"gfx1151 tile_b", "gfx1151 a wrong code"}));
    EXPECT_EQ(names(select_tasks(r, {"gfx1151"}, "a wrong*", {3})), (Names{"gfx1151 a wrong code"}));
    EXPECT_EQ(names(select_tasks(r, {"gfx1151"}, "tile_b", {1, 2})), (Names{"gfx1151 tile_b"}));
    EXPECT_TRUE(select_tasks(r, {"gfx1151"}, "nothing", {1}).empty());
    EXPECT_TRUE(select_tasks(r, {"gfx1201"}, "*", {1}).empty());
}

TEST(RegisteredChips, AreThoseOfTheRegistrationsInTheTablesOrder) {
    EXPECT_EQ(registered_chips(registry()), (std::vector<std::string>{"gfx1030", "gfx1151"}));
}

TEST(NamedChips, AreInTheTablesOrderAndAllWhereNoneIsNamed) {
    using Names = std::vector<std::string>;
    for (const auto& [named, expected] : {std::pair<Names, Names>{{}, {"gfx1030", "gfx1151"}},
                                          {{"all"}, {"gfx1030", "gfx1151"}},
                                          {{"gfx1151", "gfx1030", "gfx1151"}, {"gfx1030", "gfx1151"}},
                                          {{"gfx1151"}, {"gfx1151"}}}) {
        const auto chips = named_chips(registry(), named);
        ASSERT_TRUE(chips);
        EXPECT_EQ(*chips, expected);
    }
    const auto unknown = named_chips(registry(), {"gfx1151", "gfx1152"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().text, "chip \"gfx1152\": no registration names it (did you mean \"gfx1151\"?); expected "
                                    "gfx1030, gfx1151, or all");
}

TEST(ShapeWarnings, NameTheRegistrationsThatLackAMarkOnce) {
    Registry all = registry();
    for (Kernel& kernel : all.kernels) kernel.shapes = {Shape{}, Shape{}};
    all.kernels[0].shapes[1].served = all.kernels[0].shapes[0].ragged = true;
    all.kernels[1].shapes[0].ragged = true;
    const auto warnings = [&all](const char* filter) {
        return shape_warnings(select_tasks(all, {"gfx1030", "gfx1151"}, filter, {1, 2, 3, 4}));
    };
    EXPECT_TRUE(warnings("tile_a").empty());
    EXPECT_EQ(warnings("tile_b"), std::vector<std::string>{"tile_b: no shape is marked served = true, so gate 2 asks "
                                                           "none of a size that is used"});
    EXPECT_EQ(warnings("*"), (std::vector<std::string>{
                                 "tile_b and 1 more: no shape is marked served = true, so gate 2 asks none of a size "
                                 "that is used",
                                 "relu: no shape is marked ragged = true, so gate 2 asks none of a size that leaves "
                                 "workgroups partly filled"}));
}

TEST(Shards, AreReadAndAnythingElseIsAnError) {
    for (const auto& [text, shard] :
         {std::pair{"1/1", Shard{1, 1}}, std::pair{"2/3", Shard{2, 3}}, std::pair{"40/40", Shard{40, 40}}}) {
        const auto read = parse_shard(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, shard);
        EXPECT_EQ(shard_text(*read), text);
    }
    for (const char* text : {"", "1", "/", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "1/3 ", "a/b", "1/99999999999"}) {
        const auto read = parse_shard(text);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().text.find("expected I/N"), std::string::npos);
    }
}

TEST(Shards, HoldEveryTaskOnceAndControlsAreDealtAsRegistrationsAre) {
    Kernel kernel;
    Control control;
    std::vector<Task> tasks;
    for (int i = 0; i < 65; ++i) tasks.push_back({&kernel, nullptr, std::to_string(i)});
    for (int i = 65; i < 90; ++i) tasks.push_back({&kernel, &control, std::to_string(i)});
    for (std::uint32_t of = 1; of <= 91; ++of) {
        std::vector<std::string> seen(tasks.size());
        for (std::uint32_t index = 1; index <= of; ++index) {
            const auto own = tasks_of_shard(tasks, {index, of});
            EXPECT_LE(own.size(), (tasks.size() + of - 1) / of);
            for (std::size_t i = 0; i < own.size(); ++i) seen.at(index - 1 + i * of) += own[i].chip;
        }
        for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(seen[i], tasks[i].chip);
    }
}

} // namespace
} // namespace hkc
