// Kernels by name. Symbols are those that the Itanium C++ ABI (section 5.1, mangling) gives the functions.
#include "peacemaker/object/kernel_name.h"

#include <gtest/gtest.h>

namespace {

pm::CodeObject object_with(const std::vector<std::string>& symbols) {
    pm::CodeObject object;
    for (const std::string& symbol : symbols) {
        object.kernels.emplace_back();
        object.kernels.back().name = symbol;
    }
    return object;
}

std::string found(const pm::CodeObject& object, const std::string& name) {
    const auto kernel = pm::named_kernel(object, name);
    return kernel ? (*kernel)->name : std::string("error: ").append(kernel.error().text);
}

const std::vector<std::string> kSymbols = {
    "_Z3sumPKfPfi",   // sum(float const*, float*, int)
    "_ZN2ns4normEPf", // ns::norm(float*)
    "_Z4castIfEvPT_", // void cast<float>(float*)
    "_Z5scalePf",     // scale(float*)
    "_Z5scalePd",     // scale(double*)
    "relu2",          // extern "C"
};

TEST(NamedKernel, TakesSymbolsAndTheNamesOfFunctions) {
    const pm::CodeObject object = object_with(kSymbols);
    for (const std::string& symbol : kSymbols) EXPECT_EQ(found(object, symbol), symbol);
    for (const char* name : {"sum", "sum(float const*, float*, int)"}) EXPECT_EQ(found(object, name), "_Z3sumPKfPfi");
    for (const char* name : {"norm", "ns::norm", "ns::norm(float*)"}) EXPECT_EQ(found(object, name), "_ZN2ns4normEPf");
    EXPECT_EQ(found(object, "cast"), "_Z4castIfEvPT_");
    EXPECT_EQ(found(object, "scale(double*)"), "_Z5scalePd");
}

TEST(NamedKernel, AFunctionIsNotTakenForItsNamesake) {
    // The symbol is what it says, whatever functions are called.
    EXPECT_EQ(found(object_with({"_Z3sumPKfPfi", "sum"}), "sum"), "sum");
    EXPECT_EQ(found(object_with(kSymbols), "scale"), "error: 2 kernels are called scale: _Z5scalePf (scale(float*)), "
                                                     "_Z5scalePd (scale(double*)); expected the symbol of one");
}

TEST(NamedKernel, WhatIsNotThereIsToldWithWhatThereIs) {
    EXPECT_EQ(
        found(object_with({"_Z3sumPKfPfi", "relu2"}), "summ"),
        "error: no kernel summ in the code object (did you mean \"sum\"?); it has _Z3sumPKfPfi (sum(float const*, "
        "float*, int)), relu2");
    EXPECT_EQ(found(object_with({}), "sum"), "error: no kernel sum in the code object; it has none");
    std::vector<std::string> many;
    for (int i = 0; i < 10; ++i) many.push_back(std::string(1, 'k') + std::to_string(i));
    EXPECT_EQ(found(object_with(many), "another"),
              "error: no kernel another in the code object; it has k0, k1, k2, k3, k4, k5, k6, k7, and 2 more");
    EXPECT_EQ(found(object_with({"_Z3sumPKfPfi"}), "").substr(0, 17), "error: no kernel ");
}

} // namespace
