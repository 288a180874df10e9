// Everything that the installed compilers make of the tree's own sources, at every level, for every chip they know.
#include "contract/toolchain/compile.h"
#include "peacemaker/lift/report.h"
#include "peacemaker/object/container.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace {

namespace fs = std::filesystem;

std::vector<std::string> sources() {
    std::vector<std::string> found;
    for (const char* folder : {"kernels", "controls"})
        for (const auto& entry : fs::directory_iterator(fs::path(HKC_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".hip")
                found.push_back(std::string(folder) + "/" + entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

TEST(LiftCorpus, EveryObjectComesBack) {
    const fs::path cache = hkc::default_cache_dir(HKC_SOURCE_DIR);
    const auto specs = hkc::load_toolchains(HKC_SOURCE_DIR);
    ASSERT_TRUE(specs) << specs.error().text;
    std::vector<hkc::Toolchain> toolchains;
    for (const auto& spec : *specs) {
        auto installed = hkc::find_installed(spec, cache);
        EXPECT_TRUE(installed) << hkc::missing_text(spec);
        if (installed) toolchains.push_back(std::move(*installed));
    }
    std::vector<hkc::CompileRequest> requests;
    for (const hkc::Toolchain& toolchain : toolchains)
        for (const pm::Chip& chip : pm::chips())
            for (const std::string& source : sources())
                for (const char* level : {"-O0", "-O1", "-O2", "-O3"})
                    if (toolchain.spec.builds(chip.name))
                        requests.push_back({.toolchain = &toolchain,
                                            .chip = &chip,
                                            .root = HKC_SOURCE_DIR,
                                            .source = source,
                                            .flags = {"-std=c++20", level, "-ffp-contract=off", "-mno-wavefrontsize64"},
                                            .defines = {},
                                            .edits = {}});
    ASSERT_GE(requests.size(), 4u * sources().size() * toolchains.size());
    const auto objects = hkc::compile_all(requests, cache, std::max(1u, std::thread::hardware_concurrency()));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const hkc::CompileRequest& request = requests[i];
        SCOPED_TRACE(fmt::format("{} {} {} {}", request.toolchain->spec.name, request.chip->name, request.source,
                                 request.flags[1]));
        ASSERT_TRUE(objects[i]) << objects[i].error().text;
        const pm::Container container = pm::read_container(objects[i]->bytes, request.source);
        const pm::lift::Report report = pm::lift::lift_all(container, "");
        ASSERT_EQ(report.objects.size(), 1u);
        ASSERT_TRUE(report.objects[0].file) << report.objects[0].error;
        const pm::lift::File& file = *report.objects[0].file;
        if (request.toolchain->spec.kind == hkc::CompilerKind::kHipcc) {
            // Clang 15 sets bits of V_CMPX that the hardware ignores; LLVM 22 does not keep them.
            for (const pm::lift::Unchecked& one : file.unchecked)
                EXPECT_TRUE(one.reason.find("v_cmpx_") != std::string::npos &&
                            one.reason.ends_with("is encoded otherwise"))
                    << one.reason;
            continue;
        }
        EXPECT_TRUE(report.whole()) << pm::lift::summary_text(report);
        EXPECT_EQ(file.equal, container.objects[0].bytes.size());
        EXPECT_TRUE(pm::lift::emit(file) == container.objects[0].bytes);
    }
}

} // namespace
