#include "contract/oracle/affine.h"

#include "contract/oracle/activation.h"
#include "contract/oracle/relu2.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace hkc {
namespace {

constexpr double kDotUnit = 0x1p-23;       // relative error of one dot2 rounding
constexpr double kF32Unit = 0x1p-24;       // relative error of one f32 rounding
constexpr double kFlush = 0x1p-126;        // what flushing one subnormal operand or result of a dot2 can change
constexpr double kF32Underflow = 0x1p-150; // error of an f32 product that rounds among the subnormals
constexpr double kF32Max = 0x1.fffffep127;
constexpr double kDoubleUnit = 0x1p-53;
// A dot2 step may flush its accumulator, the value between its two roundings, and its result: three for two codes.
constexpr double kFlushesPerCode = 1.5;
// Below these nothing can overflow in f32: a group of 8-bit codes adds less than 2^14 times its largest x.
constexpr double kSafeActivation = 0x1p100;
constexpr double kSafeMagnitude = 0x1p120;

// The part sizes of legal orders: multiples of the chunk that divide a group.
std::vector<std::int64_t> part_sizes(const AffineProblem& p) {
    std::vector<std::int64_t> sizes;
    for (std::int64_t part = p.chunk; part <= p.group; part += p.chunk)
        if (p.group % part == 0) sizes.push_back(part);
    return sizes;
}

double growth(std::int64_t dot_roundings, std::int64_t f32_roundings) {
    const double log = static_cast<double>(dot_roundings) * std::log1p(kDotUnit) +
                       static_cast<double>(f32_roundings) * std::log1p(kF32Unit);
    return std::expm1(log) * (1 + 0x1p-40); // the library functions' own error
}

// The relative growth of the terms scale*dot and of the terms bias*sum under one choice of part sizes.
struct Growth {
    double dot, sum;
};

// One a pair of part sizes: in a part, two roundings a dot2; then one for each of all the terms.
std::vector<Growth> growths(const AffineProblem& p) {
    std::vector<Growth> all;
    for (const std::int64_t dot_part : part_sizes(p)) {
        for (const std::int64_t sum_part : part_sizes(p)) {
            const std::int64_t terms = p.k / dot_part + p.k / sum_part;
            all.push_back({growth(dot_part, terms), growth(sum_part, terms)});
        }
    }
    return all;
}

// Sums in double over one output: exact value (its centre), magnitudes of the two kinds of term, halfwidth from
// flushes.
struct DoubleSums {
    double centre = 0, dot_magnitude = 0, sum_magnitude = 0, halfwidth = 0;
};

SumBound finish(const AffineProblem& p, const std::vector<Growth>& orders, const DoubleSums& s) {
    double rounding = 0, most = 0;
    for (const Growth& g : orders) {
        rounding = std::max(rounding, g.dot * s.dot_magnitude + g.sum * s.sum_magnitude);
        most = std::max({most, g.dot, g.sum});
    }
    // Products of an activation, a code and a scale are exact in double; only the additions round, in either order of
    // evaluation.
    const std::int64_t products = 2 * (p.k / p.chunk);
    const double own = 2 * static_cast<double>(p.k + products + p.group + 16) * kDoubleUnit;
    const double magnitude = s.dot_magnitude + s.sum_magnitude;
    const double underflow = magnitude > 0 ? static_cast<double>(products) * kF32Underflow : 0;
    SumBound bound;
    bound.centre = s.centre;
    bound.error = (rounding + (1 + most) * (s.halfwidth + underflow)) * (1 + own) + own * magnitude;
    return bound;
}

// --- packed codes

template <int Bits>
void decode_chunk(const std::uint32_t* words, std::uint32_t (&codes)[32]) {
    constexpr std::uint32_t mask = (1u << Bits) - 1;
#pragma GCC unroll 32
    for (int j = 0; j < 32; ++j) {
        const int bit = j * Bits;
        std::uint32_t code = words[bit / 32] >> (bit % 32);
        if (bit % 32 + Bits > 32) code |= words[bit / 32 + 1] << (32 - bit % 32);
        codes[j] = code & mask;
    }
}

// Codes times the scale of their group, a row of k; `used` is whether a group has a code that is not zero.
template <int Bits>
void weigh_row(const AffineProblem& p, std::int64_t col, const double* scale, double* weights, double* used) {
    const std::uint32_t* words = p.words.data() + col * (p.k * Bits / 32);
    std::uint32_t codes[32];
    for (std::int64_t g = 0; g < p.groups(); ++g) {
        std::uint32_t any = 0;
        for (std::int64_t i = 0; i < p.group; i += 32, words += Bits, weights += 32) {
            decode_chunk<Bits>(words, codes);
            for (int j = 0; j < 32; ++j) {
                any |= codes[j];
                weights[j] = scale[g] * static_cast<double>(static_cast<std::int32_t>(codes[j]));
            }
        }
        used[g] = any != 0 ? 1 : 0;
    }
}

void weigh(const AffineProblem& p, std::int64_t col, const double* scale, double* weights, double* used) {
    switch (p.bits) {
    case 4:
        return weigh_row<4>(p, col, scale, weights, used);
    case 5:
        return weigh_row<5>(p, col, scale, weights, used);
    case 6:
        return weigh_row<6>(p, col, scale, weights, used);
    default:
        return weigh_row<8>(p, col, scale, weights, used);
    }
}

std::uint32_t code_at(const AffineProblem& p, std::int64_t col, std::int64_t j) {
    const std::int64_t bit = j * p.bits;
    const std::size_t word = static_cast<std::size_t>(col * (p.k * p.bits / 32) + bit / 32);
    std::uint64_t window = p.words[word];
    if (bit % 32 + p.bits > 32) window |= static_cast<std::uint64_t>(p.words[word + 1]) << 32;
    return static_cast<std::uint32_t>(window >> (bit % 32)) & ((1u << p.bits) - 1);
}

// --- classes

// The classes of a + b for a in one set and b in the other, without overflow.
std::uint8_t sum_classes(std::uint8_t a, std::uint8_t b) {
    std::uint8_t out = 0;
    if ((a & kNanClass) != 0 || (b & kNanClass) != 0) out |= kNanClass;
    if ((a & kPosInfClass) != 0 && (b & kNegInfClass) != 0) out |= kNanClass;
    if ((a & kNegInfClass) != 0 && (b & kPosInfClass) != 0) out |= kNanClass;
    if ((a & kFiniteClass) != 0) out |= b;
    if ((b & kFiniteClass) != 0) out |= a & ~kFiniteClass;
    if ((a & kFiniteClass) == 0 || (b & kFiniteClass) == 0) out &= ~kFiniteClass;
    return static_cast<std::uint8_t>(out | (a & b & (kPosInfClass | kNegInfClass)));
}

std::uint8_t class_of(double v) {
    if (std::isnan(v)) return kNanClass;
    if (std::isinf(v)) return v > 0 ? kPosInfClass : kNegInfClass;
    return kFiniteClass;
}

// A set that holds `finite` and, where a partial sum may pass the largest f32, the infinity of its sign.
std::uint8_t with_overflow(std::uint8_t classes, double most, double least) {
    if (most > kF32Max) classes = sum_classes(classes, kFiniteClass | kPosInfClass);
    if (least < -kF32Max) classes = sum_classes(classes, kFiniteClass | kNegInfClass);
    return classes;
}

// What the f32 sum of one part, of x or of x*code, may be.
struct PartSum {
    double centre = 0, magnitude = 0, halfwidth = 0; // of the finite terms
    std::uint8_t classes = kFiniteClass;
    double lo = 0, hi = 0; // range of the finite results

    void add(double x, double half, double factor) {
        if (!std::isfinite(x)) {
            classes = sum_classes(classes, factor == 0 ? std::uint8_t{kNanClass} : class_of(x));
            return;
        }
        centre += x * factor;
        magnitude += (std::abs(x) + half) * factor;
        halfwidth += half * factor;
    }

    void close(std::int64_t part) {
        if (magnitude > 0) halfwidth += kFlushesPerCode * static_cast<double>(part) * kFlush;
        const double grown = growth(part, 0);
        const double own = static_cast<double>(part) * 2 * kDoubleUnit;
        const double error = grown * magnitude + (1 + grown) * halfwidth + own * magnitude;
        lo = centre - error;
        hi = centre + error;
        // Positive terms alone, or negative terms alone, are the furthest that a partial sum gets.
        classes = with_overflow(classes, (magnitude + centre) / 2 + error, (centre - magnitude) / 2 - error);
        if (lo > kF32Max || hi < -kF32Max) classes &= static_cast<std::uint8_t>(~kFiniteClass);
        lo = std::max(lo, -kF32Max);
        hi = std::min(hi, kF32Max);
    }
};

// The classes of factor * sum before any overflow; a finite range that reaches zero makes Inf * 0 possible.
std::uint8_t product_classes(double factor, const PartSum& sum) {
    if (std::isnan(factor)) return kNanClass;
    std::uint8_t out = sum.classes & kNanClass;
    const bool pos = (sum.classes & kPosInfClass) != 0;
    const bool neg = (sum.classes & kNegInfClass) != 0;
    if (factor == 0 && (pos || neg)) out |= kNanClass;
    if ((factor > 0 && pos) || (factor < 0 && neg)) out |= kPosInfClass;
    if ((factor > 0 && neg) || (factor < 0 && pos)) out |= kNegInfClass;
    if ((sum.classes & kFiniteClass) == 0) return out;
    if (std::isfinite(factor)) return static_cast<std::uint8_t>(out | kFiniteClass);
    const bool above = factor > 0;
    if (sum.hi > 0) out |= above ? kPosInfClass : kNegInfClass;
    if (sum.lo < 0) out |= above ? kNegInfClass : kPosInfClass;
    if (sum.lo <= 0 && sum.hi >= 0) out |= kNanClass;
    return out;
}

// All terms of one kind, scale*dot or bias*sum, for one part size.
struct Terms {
    std::uint8_t classes = kFiniteClass;
    double most = 0, least = 0; // furthest partial sums
    double centre = 0, magnitude = 0, halfwidth = 0;
    std::int64_t count = 0;

    void add(double factor, const PartSum& sum) {
        classes = sum_classes(classes, product_classes(factor, sum));
        ++count;
        if (!std::isfinite(factor) || (sum.classes & kFiniteClass) == 0) return;
        const auto [lo, hi] = std::minmax({factor * sum.lo, factor * sum.hi});
        most += std::max(hi, 0.0);
        least += std::min(lo, 0.0);
        centre += factor * sum.centre;
        magnitude += std::abs(factor) * sum.magnitude;
        halfwidth += std::abs(factor) * sum.halfwidth;
    }
};

Terms scaled_terms(const AffineProblem& p, std::int64_t row, std::int64_t col, std::int64_t part, bool dot) {
    const std::vector<double>& factors = dot ? p.scale : p.bias;
    Terms terms;
    for (std::int64_t first = 0; first < p.k && terms.classes != kNanClass; first += part) {
        PartSum sum;
        for (std::int64_t j = first; j < first + part; ++j) {
            const std::size_t at = static_cast<std::size_t>(row * p.k + j);
            sum.add(p.x[at], p.x_halfwidth[at], dot ? code_at(p, col, j) : 1);
        }
        sum.close(part);
        terms.add(factors[static_cast<std::size_t>(col * p.groups() + first / p.group)], sum);
    }
    return terms;
}

// --- reading

std::string at_kernel(const OracleInput& input) {
    return input.kernel == nullptr ? "affine oracle" : "affine oracle for " + input.kernel->name;
}

pm::Result<std::int64_t> variable(const OracleInput& input, const char* name,
                                  std::optional<std::int64_t> otherwise = {}) {
    const auto found = input.scope.find(name);
    if (found != input.scope.end()) return found->second;
    if (otherwise) return *otherwise;
    return pm::Error{at_kernel(input) + ": no parameter or shape variable \"" + name +
                     "\"; expected bits, group, m, n and k (and chunk where it is not 32)"};
}

pm::Result<std::span<const std::byte>> buffer(const OracleInput& input, const char* name, __int128 expected) {
    const auto found = input.buffers.find(name);
    if (found == input.buffers.end())
        return pm::Error{at_kernel(input) + ": no input buffer \"" + name + "\"; expected x, words, scale and bias"};
    if (static_cast<__int128>(found->second.size()) != expected)
        return pm::Error{at_kernel(input) + ": buffer \"" + name + "\" has " + std::to_string(found->second.size()) +
                         " bytes; expected " +
                         (expected > INT64_MAX ? "over 2^63" : std::to_string(static_cast<std::int64_t>(expected))) +
                         " for these m, n, k, group and bits"};
    return found->second;
}

std::uint16_t half_word(std::span<const std::byte> bytes, std::size_t i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * i, sizeof bits);
    return bits;
}

std::vector<double> decode_activations(pm::Activation kind, std::span<const std::byte> bytes) {
    std::vector<double> values(bytes.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = activation_value(kind, half_word(bytes, i));
    return values;
}

pm::Result<void> read_shape(const OracleInput& input, AffineProblem& p) {
    std::int64_t bits = 0;
    const struct {
        const char* name;
        std::int64_t* to;
        std::optional<std::int64_t> otherwise;
    } wanted[] = {{"m", &p.m, {}},         {"n", &p.n, {}},     {"k", &p.k, {}},
                  {"group", &p.group, {}}, {"bits", &bits, {}}, {"chunk", &p.chunk, 32}};
    for (const auto& w : wanted) {
        const pm::Result<std::int64_t> value = variable(input, w.name, w.otherwise);
        if (!value) return value.error();
        *w.to = *value;
    }
    const auto bad = [&](const std::string& text) { return pm::Error{at_kernel(input) + ": " + text}; };
    if (bits != 4 && bits != 5 && bits != 6 && bits != 8)
        return bad("bits = " + std::to_string(bits) + "; expected 4, 5, 6 or 8");
    p.bits = static_cast<int>(bits);
    if (p.group <= 0 || p.group % 32 != 0)
        return bad("group = " + std::to_string(p.group) + "; expected a multiple of 32");
    if (p.chunk <= 0 || p.group % p.chunk != 0)
        return bad("chunk = " + std::to_string(p.chunk) + "; expected a divisor of the group, " +
                   std::to_string(p.group));
    if (p.m < 0 || p.n < 0) return bad("m or n is negative; expected counts");
    if (p.k < 0 || p.k % p.group != 0)
        return bad("k = " + std::to_string(p.k) + "; expected a multiple of the group, " + std::to_string(p.group));
    return {};
}

bool all_finite(const double* first, std::int64_t count) {
    return std::all_of(first, first + count, [](double v) { return std::isfinite(v); });
}

pm::Result<std::vector<OutputBound>> bounds(const OracleInput& input, bool relu2) {
    const pm::Result<AffineProblem> problem = read_affine(input);
    if (!problem) return problem.error();
    const std::vector<SumBound> sums = affine_sums(*problem);
    std::vector<OutputBound> out;
    out.reserve(sums.size());
    for (const SumBound& sum : sums) {
        const OutputBound rounded = round_sum(problem->kind, sum);
        out.push_back(relu2 ? relu2_bound(problem->kind, rounded) : rounded);
    }
    return out;
}

pm::Result<OracleOutput> as_output(pm::Result<std::vector<OutputBound>> out) {
    if (!out) return out.error();
    OracleOutput result;
    result.emplace("out", std::move(*out));
    return result;
}

} // namespace

SumBound affine_sum(const AffineProblem& p, std::int64_t row, std::int64_t col) {
    std::vector<Terms> dots, sums;
    for (const std::int64_t part : part_sizes(p)) {
        dots.push_back(scaled_terms(p, row, col, part, true));
        sums.push_back(scaled_terms(p, row, col, part, false));
    }
    const std::vector<Growth> orders = growths(p);
    SumBound bound;
    bound.classes = 0;
    for (const Terms& d : dots) {
        for (const Terms& s : sums) {
            const std::uint8_t classes = sum_classes(d.classes, s.classes);
            const double grown = 1 + growth(0, d.count + s.count);
            bound.classes |= with_overflow(classes, (d.most + s.most) * grown, (d.least + s.least) * grown);
            if ((classes & kFiniteClass) == 0) continue;
            const SumBound one =
                finish(p, orders, {d.centre + s.centre, d.magnitude, s.magnitude, d.halfwidth + s.halfwidth});
            bound.centre = one.centre;
            bound.error = std::max(bound.error, one.error);
        }
    }
    return bound;
}

std::vector<SumBound> affine_sums(const AffineProblem& p) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    constexpr std::int64_t kBlock = 32; // rows of weights at a time
    const std::int64_t groups = p.groups();
    std::vector<SumBound> out(static_cast<std::size_t>(p.m * p.n));
    if (out.empty()) return out;

    // Rows that dense arithmetic cannot serve are zeroed here and done term by term below.
    Eigen::MatrixXd x = Eigen::Map<const RowMajor>(p.x.data(), p.m, p.k).transpose();
    Eigen::MatrixXd half = Eigen::Map<const RowMajor>(p.x_halfwidth.data(), p.m, p.k).transpose();
    std::vector<bool> special_row(static_cast<std::size_t>(p.m));
    for (std::int64_t r = 0; r < p.m; ++r) {
        if (x.col(r).array().isFinite().all() && (x.col(r).array().abs() < kSafeActivation).all()) continue;
        special_row[static_cast<std::size_t>(r)] = true;
        x.col(r).setZero();
        half.col(r).setZero();
    }
    const Eigen::MatrixXd magnitude = x.cwiseAbs() + half;
    const bool any_half = (half.array() > 0).any();

    Eigen::MatrixXd group_x(groups, p.m), group_magnitude(groups, p.m), group_half(groups, p.m),
        group_flush(groups, p.m);
    const double flush = kFlushesPerCode * static_cast<double>(p.group) * kFlush;
    for (std::int64_t g = 0; g < groups; ++g) {
        group_x.row(g) = x.middleRows(g * p.group, p.group).colwise().sum();
        group_magnitude.row(g) = magnitude.middleRows(g * p.group, p.group).colwise().sum();
        group_half.row(g) = half.middleRows(g * p.group, p.group).colwise().sum();
    }
    group_flush = (group_magnitude.array() > 0).select(Eigen::MatrixXd::Constant(groups, p.m, flush), 0.0);

    const std::vector<Growth> orders = growths(p);
    RowMajor weights(kBlock, p.k), scale(kBlock, groups), bias(kBlock, groups), used(kBlock, groups);
    std::vector<bool> special_col(static_cast<std::size_t>(kBlock));
    for (std::int64_t first = 0; first < p.n; first += kBlock) {
        const std::int64_t rows = std::min(kBlock, p.n - first);
        for (std::int64_t i = 0; i < rows; ++i) {
            const double* s = p.scale.data() + (first + i) * groups;
            const double* b = p.bias.data() + (first + i) * groups;
            const bool special = !all_finite(s, groups) || !all_finite(b, groups);
            special_col[static_cast<std::size_t>(i)] = special;
            for (std::int64_t g = 0; g < groups; ++g) {
                scale(i, g) = special ? 0 : s[g];
                bias(i, g) = special ? 0 : b[g];
            }
            weigh(p, first + i, scale.row(i).data(), weights.row(i).data(), used.row(i).data());
        }
        const auto w = weights.topRows(rows);
        const auto b = bias.topRows(rows);
        const Eigen::MatrixXd centres = w * x + b * group_x;
        weights = weights.cwiseAbs();
        bias = bias.cwiseAbs();
        scale = scale.cwiseAbs().cwiseProduct(used);
        const Eigen::MatrixXd dots = w * magnitude;
        const Eigen::MatrixXd sums = b * group_magnitude;
        Eigen::MatrixXd halfwidths = scale.topRows(rows) * group_flush + b * group_flush;
        if (any_half) halfwidths += w * half + b * group_half;

        for (std::int64_t r = 0; r < p.m; ++r) {
            for (std::int64_t i = 0; i < rows; ++i) {
                const bool special = special_row[static_cast<std::size_t>(r)] ||
                                     special_col[static_cast<std::size_t>(i)] ||
                                     dots(i, r) + sums(i, r) > kSafeMagnitude;
                SumBound& to = out[static_cast<std::size_t>(r * p.n + first + i)];
                to = special ? affine_sum(p, r, first + i)
                             : finish(p, orders, {centres(i, r), dots(i, r), sums(i, r), halfwidths(i, r)});
            }
        }
    }
    return out;
}

OutputBound round_sum(pm::Activation kind, const SumBound& sum) {
    OutputBound out;
    out.finite = (sum.classes & kFiniteClass) != 0;
    out.pos_inf = (sum.classes & kPosInfClass) != 0;
    out.neg_inf = (sum.classes & kNegInfClass) != 0;
    out.nan = (sum.classes & kNanClass) != 0;
    if (!out.finite) return out;
    const double lo = round_to_activation(kind, sum.centre - sum.error);
    const double hi = round_to_activation(kind, sum.centre + sum.error);
    out.pos_inf |= std::isinf(hi) && hi > 0;
    out.neg_inf |= std::isinf(lo) && lo < 0;
    out.finite = !(std::isinf(lo) && lo > 0) && !(std::isinf(hi) && hi < 0);
    if (!out.finite) return out;
    const double most = activation_max(kind);
    out.lo = std::max(lo, -most);
    out.hi = std::min(hi, most);
    return out;
}

pm::Result<AffineProblem> read_affine(const OracleInput& input) {
    AffineProblem p;
    p.kind = input.chip->activation;
    if (const pm::Result<void> shape = read_shape(input, p); !shape) return shape.error();
    using Wide = __int128;
    const Wide per_row = p.k / p.group;
    const pm::Result<std::span<const std::byte>> x = buffer(input, "x", Wide{p.m} * p.k * 2);
    if (!x) return x.error();
    const pm::Result<std::span<const std::byte>> words = buffer(input, "words", Wide{p.n} * (p.k / 32) * p.bits * 4);
    if (!words) return words.error();
    const pm::Result<std::span<const std::byte>> scale = buffer(input, "scale", Wide{p.n} * per_row * 2);
    if (!scale) return scale.error();
    const pm::Result<std::span<const std::byte>> bias = buffer(input, "bias", Wide{p.n} * per_row * 2);
    if (!bias) return bias.error();

    p.x = decode_activations(p.kind, *x);
    p.x_halfwidth.assign(p.x.size(), 0);
    for (std::size_t i = 0; i < p.x.size(); ++i) {
        if (!activation_is_subnormal(p.kind, half_word(*x, i))) continue;
        p.x[i] /= 2;
        p.x_halfwidth[i] = std::abs(p.x[i]);
    }
    p.scale = decode_activations(p.kind, *scale);
    p.bias = decode_activations(p.kind, *bias);
    p.words.resize(words->size() / 4);
    if (!words->empty()) std::memcpy(p.words.data(), words->data(), words->size());
    return p;
}

pm::Result<OracleOutput> affine_oracle(const OracleInput& input) { return as_output(bounds(input, false)); }

pm::Result<OracleOutput> affine_relu2_oracle(const OracleInput& input) { return as_output(bounds(input, true)); }

} // namespace hkc
