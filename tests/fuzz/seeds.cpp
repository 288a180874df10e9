#include "tests/fuzz/seeds.h"

#include "peacemaker/chip/chip.h"
#include "peacemaker/lift/file.h"
#include "peacemaker/support/file.h"
#include "tests/isa/llvm_tools.h"

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

constexpr Target kTargets[] = {
    {"device_fuzz", objects_and_code},
    {"message_pack_fuzz", message_packs},
};

} // namespace

std::span<const Target> targets() { return kTargets; }

} // namespace pm::fuzz
