#include "contract/gates/edge_shapes.h"

#include <gtest/gtest.h>

namespace hkc {
namespace {

Shape shape(Scope values, bool ragged) {
    Shape shape;
    shape.values = std::move(values);
    shape.ragged = ragged;
    return shape;
}

TEST(EdgeShapes, TheLargestOfEveryDimensionIsReachedByFewAndSmallShapes) {
    const Shape middle = shape({{"m", 2}, {"n", 67}, {"k", 192}}, true);
    const Shape wide = shape({{"m", 1}, {"n", 71}, {"k", 128}}, true);
    const Shape rows = shape({{"m", 8}, {"n", 67}, {"k", 192}}, true);
    const Shape deep = shape({{"m", 1}, {"n", 67}, {"k", 2112}}, true);
    const Shape deep_rows = shape({{"m", 8}, {"n", 5}, {"k", 2112}}, true);
    const std::vector<SizedShape> apart{{&middle, 20}, {&deep, 90}, {&wide, 10}, {&rows, 40}};
    EXPECT_EQ(edge_shapes(apart), (std::vector<std::size_t>{2, 3, 1}));
    const std::vector<SizedShape> both{{&middle, 20}, {&wide, 10}, {&rows, 40}, {&deep_rows, 50}};
    EXPECT_EQ(edge_shapes(both), (std::vector<std::size_t>{1, 3}));
}

TEST(EdgeShapes, OfEqualShapesTheSmallestIsTaken) {
    const Shape small = shape({{"n", 9}, {"k", 1}}, true), large = shape({{"n", 9}, {"k", 1}}, true);
    EXPECT_EQ(edge_shapes(std::vector<SizedShape>{{&large, 900}, {&small, 300}}), (std::vector<std::size_t>{1}));
}

TEST(EdgeShapes, RaggedShapesAreTakenWhereThereAreAny) {
    const Shape ragged = shape({{"n", 4099}}, true), whole = shape({{"n", 8192}}, false);
    EXPECT_EQ(edge_shapes(std::vector<SizedShape>{{&whole, 16384}, {&ragged, 8198}}), (std::vector<std::size_t>{1}));
    EXPECT_EQ(edge_shapes(std::vector<SizedShape>{{&whole, 16384}}), (std::vector<std::size_t>{0}));
}

TEST(EdgeShapes, ALargeShapeIsNeitherTakenNorAskedFor) {
    const Shape small = shape({{"n", 67}, {"k", 192}}, true), served = shape({{"n", 4096}, {"k", 8192}}, false);
    const std::vector<SizedShape> shapes{{&served, 64U << 20U}, {&small, 6432}};
    EXPECT_EQ(edge_shapes(shapes), (std::vector<std::size_t>{1}));
}

TEST(EdgeShapes, WhereAllAreLargeTheSmallestIsTaken) {
    const Shape one = shape({{"n", 4096}}, true), other = shape({{"n", 2048}}, false);
    const std::vector<SizedShape> shapes{{&one, 64U << 20U}, {&other, 32U << 20U}};
    EXPECT_EQ(edge_shapes(shapes), (std::vector<std::size_t>{1}));
}

TEST(EdgeShapes, AShapeWithoutDimensionsIsOne) {
    const Shape only = shape({}, false);
    EXPECT_EQ(edge_shapes(std::vector<SizedShape>{{&only, 4}}), (std::vector<std::size_t>{0}));
}

} // namespace
} // namespace hkc
