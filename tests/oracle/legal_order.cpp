#include "tests/oracle/legal_order.h"

#include <algorithm>
#include <utility>

namespace {

using exact::kF32;
using exact::Mode;

constexpr Mode kDotModes[] = {Mode::kNearestEven, Mode::kDown, Mode::kUp, Mode::kTowardZero, Mode::kAwayFromZero};

mpq_class activation(pm::Activation kind, std::uint16_t bits) {
    return kind == pm::Activation::kFp16 ? exact::fp16(bits) : exact::bf16(bits);
}

mpq_class f32(const mpq_class& v) { return exact::round(v, kF32, Mode::kNearestEven); }

// A pair of products waiting for a dot2 step; the second one is 0 where there is none.
struct Pair {
    mpq_class a[2], b[2];
};

class Evaluation {
public:
    Evaluation(const OrderChoice& choice, pm::Activation kind, std::mt19937_64& random)
        : choice_(choice), least_activation_(exact::power_of_two(kind == pm::Activation::kFp16 ? -14 : -126)),
          random_(random) {}

    bool coin() { return (random_() & 1) != 0; }

    // A dot2 result: rounded within 2^-23, and perhaps flushed.
    mpq_class dot_round(const mpq_class& v) {
        const Mode mode = choice_.any_rounding ? kDotModes[random_() % std::size(kDotModes)] : choice_.rounding;
        return flush(exact::round(v, kF32, mode), least_f32_);
    }

    mpq_class flush(const mpq_class& v, const mpq_class& least) {
        return choice_.may_flush && abs(v) < least && coin() ? mpq_class(0) : v;
    }

    mpq_class dot2(const Pair& p, const mpq_class& acc) {
        const DotForm form = choice_.any_form ? static_cast<DotForm>(random_() % 4) : choice_.form;
        const mpq_class low = flush(p.a[0], least_activation_) * p.b[0];
        const mpq_class high = flush(p.a[1], least_activation_) * p.b[1];
        const mpq_class c = flush(acc, least_f32_);
        switch (form) {
        case DotForm::kLowFirst:
            return dot_round(dot_round(c + low) + high);
        case DotForm::kHighFirst:
            return dot_round(dot_round(c + high) + low);
        case DotForm::kProductsFirst:
            return dot_round(dot_round(low + high) + c);
        case DotForm::kOneRounding:
            break;
        }
        return dot_round(c + low + high);
    }

    // f32 sum of partial results in a random tree.
    mpq_class fold(std::vector<mpq_class> values) {
        while (values.size() > 1) {
            std::swap(values[random_() % values.size()], values.back());
            const mpq_class last = values.back();
            values.pop_back();
            mpq_class& other = values[random_() % values.size()];
            other = f32(other + last);
        }
        return values.empty() ? mpq_class(0) : values[0];
    }

    // Sum of a[i]*b[i]: chains of dot2 steps over a shuffled, or the given, order.
    mpq_class part_sum(const std::vector<mpq_class>& a, const std::vector<mpq_class>& b) {
        std::vector<std::size_t> order(a.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::vector<mpq_class> chains(1);
        if (choice_.any_tree && coin()) {
            std::shuffle(order.begin(), order.end(), random_);
            chains.resize(1 + random_() % 8);
        }
        for (std::size_t i = 0; i < order.size(); i += 2) {
            mpq_class& acc = chains[random_() % chains.size()];
            acc = dot2({{a[order[i]], a[order[i + 1]]}, {b[order[i]], b[order[i + 1]]}}, acc);
        }
        return fold(std::move(chains));
    }

    // Sum of factor*value: chains of fma, or of multiply and add, folded.
    mpq_class term_sum(std::vector<std::pair<mpq_class, mpq_class>> terms) {
        std::vector<mpq_class> chains(1);
        if (choice_.any_tree && coin()) {
            std::shuffle(terms.begin(), terms.end(), random_);
            chains.resize(1 + random_() % terms.size());
        }
        for (const auto& [factor, value] : terms) {
            mpq_class& acc = chains[random_() % chains.size()];
            const bool fused = choice_.any_tree ? coin() : choice_.fused;
            acc = fused ? f32(factor * value + acc) : f32(f32(factor * value) + acc);
        }
        return fold(std::move(chains));
    }

private:
    OrderChoice choice_;
    mpq_class least_activation_;
    mpq_class least_f32_ = exact::power_of_two(-126);
    std::mt19937_64& random_;
};

} // namespace

mpq_class legal_sum(const AffineCase& c, std::int64_t row, std::int64_t col, const OrderChoice& choice,
                    std::mt19937_64& random) {
    Evaluation evaluation(choice, c.kind, random);
    std::vector<std::pair<mpq_class, mpq_class>> terms;
    const auto add = [&](std::int64_t first, int part, bool dot) {
        std::vector<mpq_class> x, factors;
        for (std::int64_t j = first; j < first + part; ++j) {
            x.push_back(activation(c.kind, c.x[static_cast<std::size_t>(row * c.k + j)]));
            factors.emplace_back(dot ? c.codes[static_cast<std::size_t>(col * c.k + j)] : 1);
        }
        const auto group = static_cast<std::size_t>(col * c.groups() + first / 64);
        terms.emplace_back(activation(c.kind, dot ? c.scale[group] : c.bias[group]), evaluation.part_sum(x, factors));
    };
    for (std::int64_t first = 0; first < c.k; first += 32) {
        if (first % choice.dot_part == 0) add(first, choice.dot_part, true);
        if (first % choice.sum_part == 0) add(first, choice.sum_part, false);
    }
    return evaluation.term_sum(std::move(terms));
}

mpq_class exact_sum(const AffineCase& c, std::int64_t row, std::int64_t col) {
    mpq_class y(0);
    for (std::int64_t j = 0; j < c.k; ++j) {
        const auto group = static_cast<std::size_t>(col * c.groups() + j / 64);
        const mpq_class weight = activation(c.kind, c.scale[group]) * c.codes[static_cast<std::size_t>(col * c.k + j)] +
                                 activation(c.kind, c.bias[group]);
        y += weight * activation(c.kind, c.x[static_cast<std::size_t>(row * c.k + j)]);
    }
    return y;
}

mpq_class rounded(pm::Activation kind, const mpq_class& value) {
    return exact::round(value, kind == pm::Activation::kFp16 ? exact::kFp16 : exact::kBf16, Mode::kNearestEven);
}

mpq_class relu2_rounded(pm::Activation kind, const mpq_class& value) {
    const mpq_class r = value < 0 ? mpq_class(0) : value;
    return rounded(kind, f32(r * r));
}
