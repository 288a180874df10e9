// Random changes of the real registry: each is read or refused with a message, never a crash, and never in silence.
#include "contract/oracle/oracle.h"
#include "contract/registry/registry.h"
#include "contract/report/outcome.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace {

const hkc::KnownNames kNames{hkc::oracle_names(), hkc::finding_kinds()};

constexpr std::array<std::string_view, 24> kTokens{"{",      "}",      "[",
                                                   "]",      "[[",     "]]",
                                                   "\"",     "=",      ",",
                                                   "\n",     "-1",     "0",
                                                   "/0",     "*",      "9223372036854775807",
                                                   "true",   "1.5",    "\"\"",
                                                   "{bits}", "kernel", "[[kernel]]\n",
                                                   "each",   "\xff",   "m = [1,2,3]\n"};

std::string mutated(std::string text, std::mt19937_64& random) {
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes && !text.empty(); ++i) {
        const std::size_t at = random() % text.size();
        switch (random() % 6) {
        case 0:
            text[at] = static_cast<char>(random() & 0xff);
            break;
        case 1:
            text.erase(at, 1 + random() % 12);
            break;
        case 2:
            text.insert(at, kTokens[random() % kTokens.size()]);
            break;
        case 3:
            text.replace(at, 1, kTokens[random() % kTokens.size()]);
            break;
        case 4:
            text.resize(at);
            break;
        default: {
            const std::string piece = text.substr(at, random() % 80);
            text.insert(random() % text.size(), piece);
        }
        }
    }
    return text;
}

TEST(RegistryMutation, RandomChangesNeverCrash) {
    constexpr std::uint64_t kSeed = 0x5eed;
    SCOPED_TRACE(fmt::format("seed {:#x}", kSeed));
    const auto text = pm::read_file(std::string(HKC_SOURCE_DIR) + "/registry/affine_stream.toml");
    ASSERT_TRUE(text) << text.error().text;
    const auto good = hkc::parse_registry(*text, "r.toml", kNames);
    ASSERT_TRUE(good) << good.error().text;

    std::mt19937_64 random(kSeed);
    int read = 0;
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
        const std::string changed = mutated(*text, random);
        const auto registry = hkc::parse_registry(changed, "r.toml", kNames);
        if (registry) {
            ++read;
            for (const hkc::Kernel& kernel : registry->kernels) {
                // What was read holds: every shape evaluates.
                for (const hkc::Shape& shape : kernel.shapes) {
                    const hkc::Scope scope = hkc::scope_of(kernel, shape);
                    for (const hkc::Argument& argument : kernel.args)
                        ASSERT_TRUE(hkc::element_count(argument, scope)) << changed;
                    for (const hkc::ReplacedStage& stage : kernel.replaces)
                        ASSERT_TRUE(hkc::bind_stage(*registry, kernel, stage, scope)) << changed;
                }
            }
            continue;
        }
        ++refused;
        ASSERT_TRUE(registry.error().text.starts_with("r.toml:")) << registry.error().text;
        ASSERT_LT(registry.error().text.size(), 200000u);
    }
    // Comments and names may change freely; most other places may not.
    EXPECT_GT(read, 100);
    EXPECT_GT(refused, 1000);
}

} // namespace
