#include "tests/fuzz/seeds.h"

#include "peacemaker/chip/chip.h"
#include "peacemaker/lift/file.h"
#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

#include <cstdlib>
#include <utility>

namespace pm::fuzz {
namespace {

using Seeds = std::vector<std::string>;

/// Two small kernels with a load, LDS, a loop and barriers.
Result<std::string> object_of(const Chip& chip) {
    return testing::compile_hip("clang++-22", chip.name, HKC_SOURCE_DIR "/tests/data/races/races.hip",
                                {"-std=c++20", "-O2", "-mno-wavefrontsize64"});
}

/// One for each chip.
Result<Seeds> objects() {
    Seeds seeds;
    for (const Chip& chip : chips()) {
        auto object = object_of(chip);
        if (!object) return object.error();
        seeds.push_back(std::move(*object));
    }
    return seeds;
}

/// The metadata of the objects' notes.
Result<Seeds> message_packs() {
    const auto whole = objects();
    if (!whole) return whole;
    Seeds seeds;
    for (const std::string& object : *whole) {
        const auto file = lift::lift(object);
        if (!file) return file.error();
        for (const lift::Part& part : file->parts)
            if (const auto* notes = std::get_if<lift::Notes>(&part.content))
                for (const lift::Note& note : notes->notes)
                    if (const auto* value = std::get_if<MessagePackValue>(&note.content))
                        seeds.push_back(encode_message_pack(*value));
    }
    return seeds;
}

/// The objects, and the code of each behind its chip's number.
Result<Seeds> objects_and_code() {
    auto seeds = objects();
    if (!seeds) return seeds;
    const std::size_t count = seeds->size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto code = testing::code_of((*seeds)[i]);
        if (!code) return code.error();
        seeds->push_back(static_cast<char>(i) + *code);
    }
    return seeds;
}

/// Two objects in a bundle: plain, and packed in both versions that clang-offload-bundler writes.
Result<Seeds> bundles() {
    const auto whole = objects();
    if (!whole) return whole;
    const testing::Folder folder;
    Seeds seeds;
    for (const char* const version : {"", "2", "3"}) {
        std::vector<std::string> arguments = {
            "--type=o",
            "--targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--gfx1201",
            "--input=/dev/null",
            "--input=" + folder.path("first"),
            "--input=" + folder.path("last"),
            "--output=" + folder.path("bundle")};
        for (const auto& [name, bytes] : {std::pair{"first", &whole->front()}, std::pair{"last", &whole->back()}})
            if (const auto written = write_file_atomically(folder.path(name), *bytes); !written) return written.error();
        const bool packed = *version != '\0';
        if (packed) {
            arguments.emplace_back("--compress");
            ::setenv("COMPRESSED_BUNDLE_FORMAT_VERSION", version, 1);
        }
        const auto ran = testing::run_program("clang-offload-bundler-22", arguments);
        ::unsetenv("COMPRESSED_BUNDLE_FORMAT_VERSION");
        if (!ran) return ran.error();
        auto bundle = read_file(folder.path("bundle"));
        if (!bundle) return bundle.error();
        seeds.push_back(std::move(*bundle));
    }
    return seeds;
}

constexpr Target kTargets[] = {
    {"device_fuzz", objects_and_code},
    {"message_pack_fuzz", message_packs},
    {"code_object_fuzz", objects},
    {"bundle_fuzz", bundles},
};

} // namespace

std::span<const Target> targets() { return kTargets; }

} // namespace pm::fuzz
