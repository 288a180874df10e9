// The versions of the exported functions, against those of the real libamdhip64: the loader looks for name and version.
#include "tests/hip/hip_library.h"

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <sstream>

namespace {

using Versions = std::map<std::string, std::string>;

/// Exported functions and their versions, as objdump lists them.
Versions versions_of(const std::string& library, std::set<std::string>* defined = nullptr) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(("objdump -T -p '" + library + "'").c_str(), "r"),
                                                     ::pclose);
    Versions out;
    std::string text;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) text.append(buffer.data(), n);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> fields;
        for (std::string word; words >> word;) fields.push_back(word);
        // 1 0x00 0x0f062772 hip_4.2: a definition; address g DF .text size version name: a function.
        if (fields.size() == 4 && fields[3].starts_with("hip_") && defined != nullptr) defined->insert(fields[3]);
        if (fields.size() == 7 && (fields[1] == "g" || fields[1] == "w") && fields[2] == "DF" && fields[3] == ".text")
            out[fields[6]] = fields[5];
    }
    return out;
}

TEST(Versions, AreThoseOfTheRealLibrary) {
    std::set<std::string> real_nodes;
    std::set<std::string> nodes;
    const Versions real = versions_of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5", &real_nodes);
    const Versions ours = versions_of(hip_test::kLibrary, &nodes);
    ASSERT_GT(real.size(), 300U);
    std::size_t common = 0;
    for (const auto& [name, version] : ours) {
        const auto other = real.find(name);
        if (other == real.end()) continue;
        EXPECT_EQ(version, other->second) << name;
        ++common;
    }
    EXPECT_GT(common, 300U);
    for (const std::string& node : real_nodes) EXPECT_EQ(nodes.count(node), 1U) << node;
}

/// Functions of the real library that ours does not export, for what they answer is no error code.
const std::set<std::string> kLeftOut = {"hipApiName", "hipCreateChannelDesc", "hipGetCmdName", "hipKernelNameRef",
                                        "hipKernelNameRefByPtr"};

TEST(Versions, EveryFunctionThatAnswersAnErrorCodeIsThere) {
    const Versions real = versions_of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
    const Versions ours = versions_of(hip_test::kLibrary);
    for (const auto& [name, version] : real) {
        if (!name.starts_with("hip") || name.starts_with("hiprtc")) continue;
        EXPECT_EQ(ours.count(name), 1U - kLeftOut.count(name)) << name;
    }
}

// Versions of later HIP, as its version script has them (ROCm/clr, hipamd/src/hip_hcc.map.in).
TEST(Versions, LaterFunctionsHaveTheirs) {
    const Versions ours = versions_of(hip_test::kLibrary);
    const Versions expected{{"hipGetDevicePropertiesR0600", "hip_6.0"},
                            {"hipGetDevicePropertiesR0000", "hip_4.2"},
                            {"hipLaunchHostFunc", "hip_5.3"},
                            {"hipDeviceSetLimit", "hip_5.3"},
                            {"hipGraphUpload", "hip_5.3"},
                            {"hipEventRecordWithFlags", "hip_6.4"},
                            {"hipStreamGetDevice", "hip_4.2"},
                            {"hipGraphLaunch_spt", "hip_5.3"}};
    for (const auto& [name, version] : expected) {
        const auto found = ours.find(name);
        ASSERT_NE(found, ours.end()) << name;
        EXPECT_EQ(found->second, version) << name;
    }
}

} // namespace
