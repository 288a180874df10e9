#include "contract/gates/inputs.h"

#include "contract/gates/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace hkc {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = 0xCBF29CE484222325U ^ seed;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    return hash;
}

void fill_moderate(const BufferPlan& buffer, Random& random, std::vector<std::byte>& bytes) {
    const std::uint32_t size = element_bytes(buffer.type);
    if (!is_float(buffer.type)) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            const std::uint64_t word = random.next();
            std::memcpy(bytes.data() + at, &word, std::min(sizeof(word), bytes.size() - at));
        }
        return;
    }
    double low = -2, high = 2;
    if (buffer.name.find("scale") != std::string::npos) {
        low = 1.0 / 512;
        high = 1.0 / 32;
    } else if (buffer.name.find("bias") != std::string::npos) {
        low = -0.25;
        high = 0.25;
    }
    for (std::size_t i = 0; i < buffer.elements; ++i)
        store_bits(bytes, size, i, encode_element(buffer.type, low + (high - low) * random.unit()));
}

/// One class of extreme value.
struct EdgeClass {
    const char* name;
    bool sparse; // stands at some elements only
    std::uint64_t (*bits)(FloatLayout layout, Random& random);
};

std::uint64_t random_sign(FloatLayout layout, Random& random) {
    return (random.next() & 1U) != 0 ? layout.sign_bit() : 0;
}

/// Any payload; a signalling one has some.
std::uint64_t quiet_nan(FloatLayout layout, Random& random) {
    return layout.infinity() | layout.quiet_bit() | random.next() % layout.quiet_bit();
}
std::uint64_t signalling_nan(FloatLayout layout, Random& random) {
    return layout.infinity() | (1 + random.next() % (layout.quiet_bit() - 1));
}

constexpr std::array kFloatEdges = {
    // Apart, for code may keep the one and drop the other.
    EdgeClass{"quiet NaN", true, [](FloatLayout layout, Random& random) { return quiet_nan(layout, random); }},
    EdgeClass{"negative quiet NaN", true,
              [](FloatLayout layout, Random& random) { return layout.sign_bit() | quiet_nan(layout, random); }},
    EdgeClass{"signalling NaN", true,
              [](FloatLayout layout, Random& random) { return signalling_nan(layout, random); }},
    EdgeClass{"negative signalling NaN", true,
              [](FloatLayout layout, Random& random) { return layout.sign_bit() | signalling_nan(layout, random); }},
    EdgeClass{"+Inf", true, [](FloatLayout layout, Random&) { return layout.infinity(); }},
    EdgeClass{"-Inf", true, [](FloatLayout layout, Random&) { return layout.sign_bit() | layout.infinity(); }},
    EdgeClass{"+Inf and -Inf", true,
              [](FloatLayout layout, Random& random) { return random_sign(layout, random) | layout.infinity(); }},
    EdgeClass{"signed zeros", false, [](FloatLayout layout, Random& random) { return random_sign(layout, random); }},
    EdgeClass{"subnormals", false,
              [](FloatLayout layout, Random& random) {
                  const std::uint64_t mantissa = 1 + random.next() % layout.largest_subnormal();
                  return random_sign(layout, random) | mantissa;
              }},
    EdgeClass{"largest finite values", false,
              [](FloatLayout layout, Random& random) { return random_sign(layout, random) | layout.largest_finite(); }},
};

/// Whether a sparse edge value stands at `index`: the first and last element, and a few between.
bool stands_at(std::size_t index, std::size_t count, Random& random) {
    const bool drawn = random.next() % std::min<std::size_t>(count / 2 + 1, 997) == 0;
    return drawn || index == 0 || index + 1 == count;
}

} // namespace

Inputs random_inputs(const ProgramPlan& plan, std::uint64_t seed) {
    Inputs inputs;
    inputs.label = fmt::format("seed {}", seed);
    for (const BufferPlan& buffer : plan.buffers) {
        if (!buffer.has_input()) continue;
        Random random(hash_of(buffer.name, seed));
        std::vector<std::byte> bytes(buffer.bytes());
        fill_moderate(buffer, random, bytes);
        inputs.buffers[buffer.name] = std::move(bytes);
    }
    return inputs;
}

std::vector<Inputs> edge_inputs(const ProgramPlan& plan, const Inputs& base, std::uint64_t seed) {
    std::vector<Inputs> cases;
    for (const BufferPlan& buffer : plan.buffers) {
        if (!buffer.has_input() || buffer.elements == 0) continue;
        const std::uint32_t size = element_bytes(buffer.type);
        const auto add = [&](const std::string& name, const auto& change) {
            Inputs inputs = base;
            inputs.label = fmt::format("{}: {}, {}", buffer.name, name, base.label);
            Random random(hash_of(buffer.name + name, seed));
            change(inputs.buffers[buffer.name], random);
            cases.push_back(std::move(inputs));
        };
        if (!is_float(buffer.type)) {
            add("extreme codes", [&](std::vector<std::byte>& bytes, Random& random) {
                for (std::size_t i = 0; i < buffer.elements; ++i)
                    store_bits(bytes, size, i, (random.next() & 1U) != 0 ? ~std::uint64_t{0} : 0);
            });
            continue;
        }
        const FloatLayout layout = float_layout(buffer.type);
        for (const EdgeClass& edge : kFloatEdges)
            add(edge.name, [&](std::vector<std::byte>& bytes, Random& random) {
                for (std::size_t i = 0; i < buffer.elements; ++i)
                    if (!edge.sparse || stands_at(i, buffer.elements, random))
                        store_bits(bytes, size, i, edge.bits(layout, random));
            });
    }
    return cases;
}

} // namespace hkc
