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
    // Magnitudes: codes are large and scales small, none so small that what it scales is lost.
    double low = 0, high = 2;
    if (buffer.name.find("scale") != std::string::npos) {
        low = 1.0 / 512;
        high = 1.0 / 32;
    } else if (buffer.name.find("bias") != std::string::npos) {
        high = 0.25;
    }
    for (std::size_t i = 0; i < buffer.elements; ++i) {
        const double magnitude = low + (high - low) * random.unit();
        const bool negative = (random.next() & 1U) != 0;
        store_bits(bytes, size, i, encode_element(buffer.type, negative ? -magnitude : magnitude));
    }
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

/// Either sign, any mantissa, an exponent evenly from [first, last].
std::uint64_t of_exponents(FloatLayout layout, Random& random, int first, int last) {
    const auto count = static_cast<std::uint64_t>(last - first) + 1;
    const std::uint64_t biased = static_cast<std::uint64_t>(first + layout.bias()) + random.next() % count;
    const std::uint64_t mantissa = random.next() & layout.largest_subnormal();
    return random_sign(layout, random) | biased << layout.mantissa_bits | mantissa;
}

constexpr EdgeClass kInfinity = {"+Inf", true, [](FloatLayout layout, Random&) { return layout.infinity(); }};
constexpr EdgeClass kZeros = {"signed zeros", false,
                              [](FloatLayout layout, Random& random) { return random_sign(layout, random); }};
constexpr EdgeClass kSubnormals = {"subnormals", false, [](FloatLayout layout, Random& random) {
                                       const std::uint64_t mantissa = 1 + random.next() % layout.largest_subnormal();
                                       return random_sign(layout, random) | mantissa;
                                   }};
constexpr EdgeClass kLargest = {"largest finite values", false, [](FloatLayout layout, Random& random) {
                                    return random_sign(layout, random) | layout.largest_finite();
                                }};
// From where a square is less than half the smallest subnormal up to where it is normal.
constexpr EdgeClass kRootsOfSmallest = {
    "roots of the smallest values", false, [](FloatLayout layout, Random& random) {
        const int normal = 1 - layout.bias();
        return of_exponents(layout, random, (normal - static_cast<int>(layout.mantissa_bits)) / 2 - 2, normal / 2);
    }};

constexpr std::array kFloatEdges = {
    // Apart, for code may keep the one and drop the other.
    EdgeClass{"quiet NaN", true, [](FloatLayout layout, Random& random) { return quiet_nan(layout, random); }},
    EdgeClass{"negative quiet NaN", true,
              [](FloatLayout layout, Random& random) { return layout.sign_bit() | quiet_nan(layout, random); }},
    EdgeClass{"signalling NaN", true,
              [](FloatLayout layout, Random& random) { return signalling_nan(layout, random); }},
    EdgeClass{"negative signalling NaN", true,
              [](FloatLayout layout, Random& random) { return layout.sign_bit() | signalling_nan(layout, random); }},
    kInfinity,
    EdgeClass{"-Inf", true, [](FloatLayout layout, Random&) { return layout.sign_bit() | layout.infinity(); }},
    EdgeClass{"+Inf and -Inf", true,
              [](FloatLayout layout, Random& random) { return random_sign(layout, random) | layout.infinity(); }},
    kZeros,
    kSubnormals,
    kLargest,
    kRootsOfSmallest,
    // From where a square is finite to where it is none.
    EdgeClass{"roots of the largest values", false,
              [](FloatLayout layout, Random& random) {
                  return of_exponents(layout, random, layout.bias() / 2 - 1, layout.bias() / 2 + 1);
              }},
    EdgeClass{"any finite values", false,
              [](FloatLayout layout, Random& random) {
                  return random_sign(layout, random) | random.next() % layout.infinity();
              }},
};

/// What two input buffers hold at once: what one alone would hide, since the other's terms are so much larger, or
/// would not make, as a product of zero and infinity.
struct EdgePair {
    const EdgeClass* one;
    const EdgeClass* other;
};
constexpr std::array kEdgePairs = {
    EdgePair{&kInfinity, &kZeros}, // of one sign: two of them make no NaN
    EdgePair{&kSubnormals, &kZeros},
    EdgePair{&kRootsOfSmallest, &kZeros},
    EdgePair{&kLargest, &kRootsOfSmallest},
};

/// Where the values of a sparse class stand in a buffer.
enum class Places {
    kSeveral, // of a buffer with one row: the first, middle and last element, and a few between
    kOneARow, // at most one in each row, for two that meet in one sum hide each other: in its own part of the row, and
              // in every fourth row none, as none may come of the others
};

std::size_t row_length(const BufferPlan& buffer) {
    return buffer.dims.empty() ? 1 : static_cast<std::size_t>(buffer.dims.back());
}

std::vector<std::size_t> sparse_places(const BufferPlan& buffer, Places places, Random& random) {
    const std::size_t count = buffer.elements, length = row_length(buffer), rows = count / length;
    std::vector<std::size_t> chosen;
    if (places == Places::kSeveral) {
        for (std::size_t i = 0; i < count; ++i) {
            const bool drawn = random.next() % std::min<std::size_t>(count / 2 + 1, 997) == 0;
            if (drawn || i == 0 || i == count / 2 || i + 1 == count) chosen.push_back(i);
        }
        return chosen;
    }
    const std::size_t first_part = random.next() % rows, first_none = random.next() % 4;
    for (std::size_t row = 0; row < rows; ++row) {
        if (rows > 1 && (row + first_none) % 4 == 3) continue;
        const std::size_t part = (row + first_part) % rows;
        const std::size_t from = part * length / rows, to = std::max(from + 1, (part + 1) * length / rows);
        std::size_t at = from + random.next() % (to - from);
        // The ends are where loops and masks begin and end.
        const bool at_end = random.next() % 2 == 0;
        if (at_end && from == 0) at = 0;
        if (at_end && to == length) at = length - 1;
        chosen.push_back(row * length + at);
    }
    return chosen;
}

void write_class(const EdgeClass& edge, Places places, const BufferPlan& buffer, std::vector<std::byte>& bytes,
                 Random& random) {
    const FloatLayout layout = float_layout(buffer.type);
    const std::uint32_t size = element_bytes(buffer.type);
    const auto write = [&](std::size_t i) { store_bits(bytes, size, i, edge.bits(layout, random)); };
    if (edge.sparse) {
        for (const std::size_t i : sparse_places(buffer, places, random)) write(i);
        return;
    }
    for (std::size_t i = 0; i < buffer.elements; ++i) write(i);
}

/// A class and where it stands, with the name of its case.
struct EdgeForm {
    const EdgeClass* edge;
    Places places;
    std::string name;
};

/// Elements of one row may meet in one sum, or each make an output of its own: a sparse class stands there in both
/// ways.
std::vector<EdgeForm> forms_of(const EdgeClass& edge, const BufferPlan& buffer) {
    if (!edge.sparse || row_length(buffer) < buffer.elements) return {{&edge, Places::kOneARow, edge.name}};
    return {{&edge, Places::kSeveral, edge.name}, {&edge, Places::kOneARow, fmt::format("one {}", edge.name)}};
}

/// The cases of an edge case list, one after the other.
class CaseList {
public:
    CaseList(const Inputs& base, std::uint64_t seed) : base_(&base), seed_(seed) {}

    /// Starts a case that `name` tells from the others.
    void start(const std::string& name) {
        cases_.push_back(*base_);
        cases_.back().label = name + ", " + base_->label;
        random_ = Random(hash_of(name, seed_));
    }
    void write(const EdgeForm& form, const BufferPlan& buffer) {
        write_class(*form.edge, form.places, buffer, bytes(buffer), random_);
    }
    void clear(const BufferPlan& buffer) { std::fill(bytes(buffer).begin(), bytes(buffer).end(), std::byte{0}); }
    /// All bits clear or all bits set, element by element.
    void write_extreme_codes(const BufferPlan& buffer) {
        for (std::size_t i = 0; i < buffer.elements; ++i)
            store_bits(bytes(buffer), element_bytes(buffer.type), i,
                       (random_.next() & 1U) != 0 ? ~std::uint64_t{0} : 0);
    }
    std::vector<Inputs> take() && { return std::move(cases_); }

private:
    std::vector<std::byte>& bytes(const BufferPlan& buffer) { return cases_.back().buffers[buffer.name]; }

    const Inputs* base_;
    std::uint64_t seed_;
    Random random_{0};
    std::vector<Inputs> cases_;
};

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
    CaseList cases(base, seed);
    std::vector<const BufferPlan*> inputs;
    for (const BufferPlan& buffer : plan.buffers)
        if (buffer.has_input() && buffer.elements != 0) inputs.push_back(&buffer);
    for (const BufferPlan* buffer : inputs) {
        if (!is_float(buffer->type)) {
            cases.start(buffer->name + ": extreme codes");
            cases.write_extreme_codes(*buffer);
            continue;
        }
        for (const EdgeClass& edge : kFloatEdges) {
            for (const EdgeForm& form : forms_of(edge, *buffer)) {
                cases.start(fmt::format("{}: {}", buffer->name, form.name));
                cases.write(form, *buffer);
            }
        }
    }
    for (const EdgePair& pair : kEdgePairs) {
        for (const BufferPlan* one : inputs) {
            for (const BufferPlan* other : inputs) {
                if (one == other || !is_float(one->type)) continue;
                const bool codes = !is_float(other->type);
                if (codes && pair.other != &kZeros) continue;
                for (const EdgeForm& form : forms_of(*pair.one, *one)) {
                    cases.start(fmt::format("{}: {}, {}: {}", one->name, form.name, other->name,
                                            codes ? "zeros" : pair.other->name));
                    cases.write(form, *one);
                    if (codes)
                        cases.clear(*other);
                    else
                        cases.write(forms_of(*pair.other, *other).front(), *other);
                }
            }
        }
    }
    return std::move(cases).take();
}

} // namespace hkc
