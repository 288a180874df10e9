#include "tests/emu/differential/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string_view>
#include <tuple>
#include <utility>

namespace pm::testing {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::array kNames = {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
constexpr std::array kSizes = {1u, 2u, 4u, 8u, 1u, 2u, 4u, 8u, 2u, 4u, 8u};

const char* name_of(Scalar t) { return kNames[static_cast<std::size_t>(t)]; }
u32 size_of(Scalar t) { return kSizes[static_cast<std::size_t>(t)]; }
bool is_real(Scalar t) { return t >= Scalar::kF16; }
bool is_signed(Scalar t) { return t >= Scalar::kI8 && t <= Scalar::kI64; }
Scalar unsigned_of(Scalar t) { return is_signed(t) ? static_cast<Scalar>(static_cast<int>(t) - 4) : t; }
// The unsigned type of a float's bits.
Scalar bits_of(Scalar t) { return t == Scalar::kF16 ? Scalar::kU16 : t == Scalar::kF32 ? Scalar::kU32 : Scalar::kU64; }

// Numbers that every host draws alike; the standard's distributions are not.
class Dice {
public:
    explicit Dice(u64 seed) : engine_(seed) {}
    u64 word() { return engine_(); }
    u32 below(u32 end) { return static_cast<u32>((engine_() >> 32) % end); }
    bool one_in(u32 n) { return below(n) == 0; }
    template <typename T>
    T of(std::initializer_list<T> all) {
        return all.begin()[below(static_cast<u32>(all.size()))];
    }

private:
    std::mt19937_64 engine_;
};

constexpr std::array<u64, 21> kIntegerEdges = {0,
                                               1,
                                               2,
                                               7,
                                               0x7f,
                                               0x80,
                                               0xff,
                                               0x7fff,
                                               0x8000,
                                               0xffff,
                                               0x10000,
                                               0xffffff,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x100000000,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff,
                                               0xfffffffffffffffe,
                                               0xaaaaaaaa55555555};
// Zeros, ones, infinities, NaNs (the last of each a signalling one), subnormals, the normal numbers at both ends,
// halves between integers.
constexpr std::array<u64, 16> kF16Edges = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7d01,
                                           0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3800, 0x4100, 0x6400};
constexpr std::array<u64, 18> kF32Edges = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                           0x7fc00000, 0x7fa00001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                           0xff7fffff, 0x3f000000, 0x40200000, 0x4b000001, 0x4f000000, 0x477fe000};
constexpr std::array<u64, 18> kF64Edges = {0,
                                           0x8000000000000000,
                                           0x3ff0000000000000,
                                           0xbff0000000000000,
                                           0x7ff0000000000000,
                                           0xfff0000000000000,
                                           0x7ff8000000000000,
                                           0x7ff4000000000001,
                                           1,
                                           0x800fffffffffffff,
                                           0x0010000000000000,
                                           0x7fefffffffffffff,
                                           0xffefffffffffffff,
                                           0x3fe0000000000000,
                                           0x4004000000000000,
                                           0x4330000000000001,
                                           0x36a0000000000000,
                                           0x47efffffe0000000};

// Bits of a value that is likely to matter; of a float, half the time one of middling size, so that sums do not vanish.
u64 value_bits(Dice& dice, Scalar t) {
    const u32 kind = dice.below(4);
    if (!is_real(t)) {
        if (kind == 0) return kIntegerEdges[dice.below(kIntegerEdges.size())];
        if (kind == 1) return dice.below(64);
        if (kind == 2) return dice.word() >> dice.below(64);
        return dice.word();
    }
    const u64 word = dice.word();
    if (kind == 0)
        return t == Scalar::kF16   ? kF16Edges[word % kF16Edges.size()]
               : t == Scalar::kF32 ? kF32Edges[word % kF32Edges.size()]
                                   : kF64Edges[word % kF64Edges.size()];
    if (kind == 1) return word;
    const u64 near = dice.below(16);
    switch (t) {
    case Scalar::kF16:
        return (word & 0x83ff) | (8 + near % 14) << 10;
    case Scalar::kF32:
        return (word & 0x807fffff) | (119 + near) << 23;
    default:
        return (word & 0x800fffffffffffff) | (1015 + near) << 52;
    }
}

// Arguments of a text, drawn from left to right (those of a function are drawn in any order).
template <typename... T>
struct Args {
    explicit Args(T... all) : values(std::move(all)...) {}
    std::tuple<T...> values;
};
template <typename... T>
std::string form(const char* pattern, const Args<T...>& args) {
    return std::apply([&](const T&... all) { return fmt::format(fmt::runtime(pattern), all...); }, args.values);
}

class Writer {
public:
    Writer(u64 seed, u32 number) : dice_(seed * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u + 1) {
        function_.number = number;
    }

    Function write() {
        declare_inputs();
        if (dice_.one_in(3)) write_helpers();
        const u32 count = 4 + dice_.below(9);
        for (u32 i = 0; i < count; ++i) function_.statements.push_back(statement(2));
        write_stores();
        return std::move(function_);
    }

private:
    Scalar any_type() {
        using enum Scalar;
        return dice_.of(
            {kU8, kU16, kU32, kU32, kU32, kU64, kU64, kI8, kI16, kI32, kI32, kI64, kF16, kF16, kF32, kF32, kF32, kF64});
    }
    Scalar integer_type() {
        using enum Scalar;
        return dice_.of({kU8, kU16, kU32, kU32, kU64, kI8, kI16, kI32, kI32, kI64});
    }
    Scalar real_type() { return dice_.of({Scalar::kF16, Scalar::kF32, Scalar::kF32, Scalar::kF64}); }
    u32 variables() const { return static_cast<u32>(function_.inputs.size()); }

    // Where all inputs are shared, the compiler can do everything on scalar registers.
    void declare_inputs() {
        const u32 sharing = dice_.below(4);
        u32 private_at = 0, shared_at = 0;
        const u32 count = 5 + dice_.below(5);
        for (u32 i = 0; i < count; ++i) {
            Input input{.type = any_type(), .offset = 0, .shared = sharing == 0 || (sharing == 1 && dice_.one_in(2))};
            u32& at = input.shared ? shared_at : private_at;
            const u32 size = size_of(input.type);
            if (!dice_.one_in(4)) at = (at + size - 1) / size * size;
            if (at + size > kBlockBytes) at = 0;
            input.offset = at;
            at += size;
            function_.inputs.push_back(input);
        }
    }

    // One function that is called, and one that calls itself, each from values alone.
    void write_helpers() {
        helper_ = integer_type();
        const Scalar second = any_type();
        const std::vector<Input> outer = std::exchange(
            function_.inputs, {{.type = helper_}, {.type = second}, {.type = Scalar::kU32}, {.type = helper_}});
        const char* const t = name_of(helper_);
        const u32 n = function_.number;
        helper_second_ = second;
        function_.helpers += form("NOINLINE {0} called{1}({0} v0, {2} v1, u32 v2, {0} v3) {{\n    return {3};\n}}\n",
                                  Args{t, n, name_of(second), expression(helper_, 3)});
        function_.helpers += form("NOINLINE {0} other{1}({0} v0, {2} v1, u32 v2, {0} v3) {{\n    return {3};\n}}\n",
                                  Args{t, n, name_of(second), expression(helper_, 3)});
        function_.helpers += form("TABLE decltype(&called{0}) table{0}[2] = {{called{0}, other{0}}};\n", Args{n});
        function_.helpers +=
            form("NOINLINE {0} recursive{1}({0} v0, {2} v1, u32 v2, {0} v3) {{\n    if ((v2 & 7) == 0) return {3};\n   "
                 " return ({0})(({4}) "
                 "+ recursive{1}({5}, v1, (v2 & 7) - 1, v0));\n}}\n",
                 Args{t, n, name_of(second), expression(helper_, 2), expression(helper_, 1), expression(helper_, 1)});
        has_helpers_ = true;
        function_.inputs = outer;
    }

    void write_stores() {
        for (u32 i = 0, at = 0; i < variables(); ++i) {
            const Scalar t = function_.inputs[i].type;
            const u32 size = size_of(t);
            if (!dice_.one_in(4)) at = (at + size - 1) / size * size;
            if (at + size > kBlockBytes) break;
            function_.stores.push_back(is_real(t) ? form("store(out.b + {}, bits(v{}));", Args{at, i})
                                                  : form("store(out.b + {}, v{});", Args{at, i}));
            at += size;
        }
    }

    std::string literal(Scalar t) {
        const u64 mask = ~u64{0} >> (64 - 8 * size_of(t));
        if (is_real(t)) {
            if (dice_.one_in(2))
                return form("({}){}", Args{name_of(t), dice_.of({"0.5", "1.0", "-1.0", "2.0", "4.0", "-0.0", "0.0",
                                                                 "3.0", "0.1", "-0.5"})});
            return form("cast_bits<{}>(({})0x{:x})",
                        Args{name_of(t), name_of(bits_of(t)), value_bits(dice_, t) & mask});
        }
        return form("({})0x{:x}", Args{name_of(t), value_bits(dice_, t) & mask});
    }

    // A variable, converted if none is of that type.
    std::string leaf(Scalar t) {
        if (dice_.one_in(5)) return literal(t);
        const u32 start = dice_.below(variables());
        for (u32 i = 0; i < variables(); ++i) {
            const u32 at = (start + i) % variables();
            if (function_.inputs[at].type == t) return form("v{}", Args{at});
        }
        return converted(t, function_.inputs[start].type, form("v{}", Args{start}));
    }

    // `text` of type `from` as a `to`.
    static std::string converted(Scalar to, Scalar from, const std::string& text) {
        if (is_real(from) && !is_real(to)) return form("to_int<{}>({})", Args{name_of(to), text});
        // Wider integers are rounded twice on the way to a half, by either compiler.
        if (to == Scalar::kF16 && !is_real(from) && size_of(from) > 2) return form("(f16)(i16){}", Args{paren(text)});
        if (to == Scalar::kF16 && from == Scalar::kF32) return form("half{}", Args{paren(text)});
        return form("({}){}", Args{name_of(to), paren(text)});
    }
    static std::string paren(const std::string& text) { return "(" + text + ")"; }

    std::string expression(Scalar t, u32 depth) { return is_real(t) ? real(t, depth) : integer(t, depth); }
    std::string other_expression(Scalar t, u32 depth) {
        const Scalar from = any_type();
        return converted(t, from, expression(from, depth));
    }

    std::string condition(u32 depth) {
        const u32 d = depth == 0 ? 0 : depth - 1;
        switch (dice_.below(7)) {
        case 0:
            return form("{} && {}", Args{compare(d), compare(d)});
        case 1:
            return form("{} || {}", Args{compare(d), compare(d)});
        case 2: {
            // Both kinds of NaN or neither: which one arithmetic gives is open.
            const u32 mask = (dice_.below(256) << 2) | (dice_.one_in(2) ? 3 : 0);
            const Scalar t = real_type();
            return form("classified<{}, {}>({})", Args{name_of(t), mask, real(t, d)});
        }
        default:
            return compare(d);
        }
    }
    std::string compare(u32 depth) {
        const Scalar t = any_type();
        const char* const op = dice_.of({"<", "<=", ">", ">=", "==", "!="});
        if (is_real(t) && dice_.one_in(3)) return form("!({} {} {})", Args{real(t, depth), op, real(t, depth)});
        return form("({} {} {})", Args{expression(t, depth), op, expression(t, depth)});
    }

    std::string integer(Scalar t, u32 depth) {
        if (depth == 0) return leaf(t);
        const u32 d = depth - 1;
        const char* const n = name_of(t);
        const Scalar plain = unsigned_of(t);
        const char* const u = name_of(plain);
        const auto a = [&] { return integer(t, d); };
        const auto count = [&] {
            return dice_.one_in(2) ? form("{}u", Args{dice_.below(8 * size_of(t))}) : integer(Scalar::kU32, 0);
        };
        switch (dice_.below(36)) {
        case 0:
        case 1:
            return form("({})({} + {})", Args{n, a(), a()});
        case 2:
            return form("({})({} - {})", Args{n, a(), a()});
        case 3:
        case 4:
            return form("({})({} * {})", Args{n, a(), a()});
        case 5:
            return form("({})({} & {})", Args{n, a(), a()});
        case 6:
            return form("({})({} | {})", Args{n, a(), a()});
        case 7:
            return form("({})({} ^ {})", Args{n, a(), a()});
        case 8:
            return form("({})~({} ^ {})", Args{n, a(), a()});
        case 9:
        case 10:
            return form("shl<{}>({}, {})", Args{n, a(), count()});
        case 11:
        case 12:
            return form("shr<{}>({}, {})", Args{n, a(), count()});
        case 13:
            return form("{}<{}>({}, {})", Args{dice_.one_in(2) ? "quotient" : "remainder", n, a(), a()});
        case 14:
            return form("({} ? {} : {})", Args{condition(d), a(), a()});
        case 15:
            return form("({})leading(({}){})", Args{n, u, a()});
        case 16:
            return form("({})trailing(({}){})", Args{n, u, a()});
        case 17:
            return form("({})__builtin_popcountl((u64)({}){})", Args{n, u, a()});
        case 18:
            return form("({}){}(({}){})", Args{n, dice_.one_in(2) ? "reversed" : "swapped", u, a()});
        case 19:
            return form("({})rotl(({}){}, {})", Args{n, u, a(), count()});
        case 20:
            // Elementwise built-ins of clang 19 give the promoted type.
            return form("saturated_{1}<{0}>({2}, {3})", Args{n, dice_.one_in(2) ? "add" : "sub", a(), a()});
        case 21:
            return form("({})__builtin_elementwise_{}({}, {})", Args{n, dice_.one_in(2) ? "min" : "max", a(), a()});
        case 22: {
            const char* const first = dice_.one_in(2) ? "min" : "max";
            return form("({0})__builtin_elementwise_{1}(({0})__builtin_elementwise_{2}({3}, {4}), {5})",
                        Args{n, first, first[1] == 'i' ? "max" : "min", a(), a(), a()});
        }
        case 23:
            return form("absolute<{}>({})", Args{n, integer(t, d)});
        case 24:
            return wide_or_word(t, d);
        case 25:
            return form("({})({} * {} + {})", Args{n, a(), a(), a()});
        case 26:
            return form("({})(({} << {}) + {})", Args{n, a(), 1 + dice_.below(4), a()});
        case 27:
            return form("({})(({} & {}) | {})", Args{n, a(), a(), a()});
        case 28:
            return form("checked_{}<{}>({}, {})", Args{dice_.of({"add", "sub", "mul"}), n, a(), a()});
        case 29: {
            const Scalar from = real_type();
            return form("to_int<{}>({})", Args{n, real(from, d)});
        }
        case 30: {
            const Scalar from = real_type();
            return form("({})bits({})", Args{n, real(from, d)});
        }
        case 31:
            return form("({})({})", Args{n, condition(d)});
        case 32:
            return word_pattern(t, d);
        case 33:
            if (has_helpers_) return call(t, d);
            return word_pattern(t, d);
        default:
            return other_expression(t, d);
        }
    }

    // Products that are wider than their factors, and fields that are narrower.
    std::string wide_or_word(Scalar t, u32 d) {
        const char* const n = name_of(t);
        const Scalar wide = dice_.of({Scalar::kU32, Scalar::kI32, Scalar::kU64, Scalar::kI64});
        switch (dice_.below(4)) {
        case 0:
            return form("({})high({}, {})", Args{n, integer(wide, d), integer(wide, d)});
        case 1:
            return form("({})((u64){} * {} + {})",
                        Args{n, integer(Scalar::kU32, d), integer(Scalar::kU32, d), integer(Scalar::kU64, d)});
        case 2:
            return form("({})((i64){} * {} + {})",
                        Args{n, integer(Scalar::kI32, d), integer(Scalar::kI32, d), integer(Scalar::kI64, d)});
        default:
            return form("({})(({} & 0xffffff) * ({} & 0xffffff) + {})",
                        Args{n, integer(Scalar::kU32, d), integer(Scalar::kU32, d), integer(Scalar::kU32, d)});
        }
    }

    // What the chips have instructions of 32 bits for.
    std::string word_pattern(Scalar t, u32 d) {
        const char* const n = name_of(t);
        const auto u = [&] { return integer(Scalar::kU32, d); };
        const auto i = [&] { return integer(Scalar::kI32, d); };
        switch (dice_.below(13)) {
        case 0:
            return form("({})extract({}, {}, {})", Args{n, u(), u(), u()});
        case 1:
            return form("({})extract({}, {}, {})", Args{n, u(), dice_.below(32), 1 + dice_.below(31)});
        case 2:
            return form("({})insert({}, {}, {})", Args{n, u(), u(), u()});
        case 3:
            return form("({})aligned_bits({}, {}, {})", Args{n, u(), u(), u()});
        case 4:
            return form("({})aligned_bytes({}, {}, {})", Args{n, u(), u(), u()});
        case 5:
            return form("({})sad({}, {}, {})", Args{n, u(), u(), u()});
        case 6:
            return form("({})dot4({}, {}, {})", Args{n, u(), u(), u()});
        case 7:
            return form("({})dot4({}, {}, {})", Args{n, i(), i(), i()});
        case 8:
            return form("({})dot2({}, {}, {})", Args{n, i(), i(), i()});
        case 9:
            return form("({})dot8({}, {}, {})", Args{n, i(), i(), i()});
        case 10:
            return form("({})select_bytes({}, {}, 0x{:08x})", Args{n, u(), u(), dice_.word() & 0x07070707});
        case 11:
            return form("({})sign_bits({})", Args{n, i()});
        default:
            return form("({})distance({}, {})", Args{n, u(), u()});
        }
    }

    std::string call(Scalar t, u32 d) {
        const u32 n = function_.number;
        const std::string arguments = form("({}, {}, {}, {})", Args{integer(helper_, d), expression(helper_second_, d),
                                                                    integer(Scalar::kU32, d), integer(helper_, d)});
        switch (dice_.below(5)) {
        case 0:
            return form("({})recursive{}{}", Args{name_of(t), n, arguments});
        case 1:
            return form("({})table{}[{} & 1]{}", Args{name_of(t), n, integer(Scalar::kU32, 0), arguments});
        case 2:
            return form("({})other{}{}", Args{name_of(t), n, arguments});
        default:
            return form("({})called{}{}", Args{name_of(t), n, arguments});
        }
    }

    std::string real(Scalar t, u32 depth) {
        if (depth == 0) return leaf(t);
        const u32 d = depth - 1;
        const char* const n = name_of(t);
        const auto a = [&] { return real(t, d); };
        switch (dice_.below(27)) {
        case 0:
        case 1:
        case 2:
            return form("({} + {})", Args{a(), a()});
        case 3:
        case 4:
            return form("({} - {})", Args{a(), a()});
        case 5:
        case 6:
        case 7:
            return form("({} * {})", Args{a(), a()});
        case 8:
            return form("({} / {})", Args{a(), a()});
        case 9:
        case 10:
            return form("fused({}, {}, {})", Args{a(), a(), a()});
        case 11:
            return form("root({})", Args{a()});
        case 12:
            return form("(-{})", Args{a()});
        case 13:
            return form("with_sign({}, {})", Args{a(), a()});
        case 14:
            return form("with_sign({}, ({})1)", Args{a(), n});
        case 15:
            return form("{}({}, {})", Args{dice_.one_in(2) ? "min_of" : "max_of", a(), a()});
        case 16:
            return form("{}({}, {})", Args{dice_.one_in(2) ? "fmin_of" : "fmax_of", a(), a()});
        case 17:
            return form("fmax_of(fmin_of({}, {}), {})", Args{a(), a(), a()});
        case 18:
            return form("{}({})", Args{dice_.of({"floor_of", "ceil_of", "trunc_of", "rint_of"}), a()});
        case 19:
            return form("({} ? {} : {})", Args{condition(d), a(), a()});
        case 20: {
            const Scalar from = bits_of(t);
            return form("cast_bits<{}>({})", Args{n, integer(from, d)});
        }
        case 21:
            if (t == Scalar::kF16) return form("half({}{})", Args{dice_.one_in(2) ? "" : "-", real(Scalar::kF32, d)});
            return form("{}({})", Args{dice_.of({"mantissa", "round_of"}), a()});
        case 22:
            if (t == Scalar::kF16) return form("(f16)({})", Args{real(Scalar::kF64, d)});
            return dice_.one_in(2) ? form("scale({}, {} % 300)", Args{a(), integer(Scalar::kI32, d)})
                                   : form("({})exponent({})", Args{n, a()});
        case 23:
            // Halves that are multiplied and added in single precision.
            if (t == Scalar::kF32)
                return form("fused((f32){}, (f32){}, {})", Args{real(Scalar::kF16, d), real(Scalar::kF16, d), a()});
            return form("({} * {} + {})", Args{a(), a(), a()});
        default:
            return other_expression(t, d);
        }
    }

    // Assigns to a variable, or to bytes of the output.
    std::string statement(u32 depth) {
        const u32 kind = dice_.below(depth == 0 ? 12 : 20);
        if (kind < 8) return assignment(1 + dice_.below(3));
        if (kind == 8) return packed();
        if (kind == 9) return local_array();
        if (kind == 10) return lds();
        if (kind == 11) return global_bytes();
        if (kind < 15) return branch(depth - 1);
        if (kind < 18) return loop(depth - 1);
        return choice(depth - 1);
    }
    std::string assignment(u32 depth) {
        const u32 at = dice_.below(variables());
        return form("v{} = {};", Args{at, expression(function_.inputs[at].type, depth)});
    }
    // `text`, of type `from`, into some variable.
    std::string into_variable(Scalar from, const std::string& text) {
        const u32 at = dice_.below(variables());
        return form("v{} = {};", Args{at, converted(function_.inputs[at].type, from, text)});
    }
    std::string block(u32 depth) {
        std::string text;
        const u32 count = 1 + dice_.below(3);
        for (u32 i = 0; i < count; ++i) text += statement(depth) + " ";
        return text;
    }
    std::string branch(u32 depth) {
        std::string text = form("if ({}) {{ {}}}", Args{condition(2), block(depth)});
        if (dice_.one_in(2)) text += form(" else {{ {}}}", Args{block(depth)});
        return text;
    }
    std::string loop(u32 depth) {
        const u32 id = names_++;
        const std::string bound =
            dice_.one_in(3) ? form("{}u", Args{1 + dice_.below(9)}) : form("({} & 7)", Args{integer(Scalar::kU32, 1)});
        std::string body = block(depth);
        if (dice_.one_in(3)) body += form("if ({}) {}; ", Args{condition(1), dice_.one_in(2) ? "break" : "continue"});
        body += assignment(2) + " ";
        if (dice_.one_in(2)) body += form("{} ", Args{into_variable(Scalar::kU32, form("at{}", Args{id}))});
        return form("for (u32 at{0} = 0, end{0} = {1}; at{0} < end{0}; ++at{0}) {{ {2}}}", Args{id, bound, body});
    }
    std::string choice(u32 depth) {
        std::string text = form("switch ({} & 7) {{ ", Args{integer(Scalar::kU32, 1)});
        const u32 cases = 2 + dice_.below(6);
        for (u32 i = 0; i < cases; ++i)
            text += form("case {}: {}{}", Args{i, block(depth), dice_.one_in(4) ? "" : "break; "});
        return form("{}default: {}}}", Args{text, block(depth)});
    }

    // Two elements of 16 bits at once.
    std::string packed() {
        const u32 id = names_++;
        const char* const v = dice_.of({"u16x2", "i16x2", "f16x2", "f16x2"});
        const bool real_elements = v[0] == 'f';
        std::string text = form("{{ {0} p{1} = cast_bits<{0}>({2}), q{1} = cast_bits<{0}>({3}); ",
                                Args{v, id, integer(Scalar::kU32, 1), integer(Scalar::kU32, 1)});
        const u32 count = 1 + dice_.below(4);
        for (u32 i = 0; i < count; ++i) {
            const char* const p = dice_.of({"p", "q"});
            const std::string first = dice_.of({"p{0}", "q{0}", "p{0}.yx", "q{0}.xx", "q{0}.yy"});
            const std::string left = fmt::format(fmt::runtime(first), id);
            const std::string right = form("{}{}", Args{dice_.of({"p", "q"}), id});
            std::string made;
            if (real_elements) switch (dice_.below(5)) {
                case 0:
                    made = left + " + " + right;
                    break;
                case 1:
                    made = left + " - " + right;
                    break;
                case 2:
                    made = left + " * " + right;
                    break;
                case 3:
                    made = "-" + left;
                    break;
                default:
                    made = form("f16x2{{fmin_of(({0}).x, {1}.x), fmax_of(({0}).y, {1}.y)}}", Args{left, right});
                    break;
                }
            else
                switch (dice_.below(9)) {
                case 0:
                    made = left + " + " + right;
                    break;
                case 1:
                    made = left + " - " + right;
                    break;
                case 2:
                    made = left + " * " + right;
                    break;
                case 3:
                    made = form("{} << ({} & ({})15)", Args{left, right, v});
                    break;
                case 4:
                    made = form("{} >> ({} & ({})15)", Args{left, right, v});
                    break;
                case 5:
                    made = form("__builtin_elementwise_min({}, {})", Args{left, right});
                    break;
                case 6:
                    made = form("__builtin_elementwise_max({}, {})", Args{left, right});
                    break;
                case 7:
                    made = form("__builtin_elementwise_{}_sat({}, {})", Args{dice_.of({"add", "sub"}), left, right});
                    break;
                default:
                    made = form("{0} * {1} + {1}", Args{left, right});
                    break;
                }
            text += form("{}{} = {}; ", Args{p, id, made});
        }
        return text + into_variable(Scalar::kU32, form("pack_of({}{})", Args{dice_.of({"p", "q"}), id})) + " }";
    }

    // Loads and stores at computed offsets of 64 bytes at `base`, which are all defined.
    std::string accesses(const std::string& base) {
        std::string text;
        const u32 count = 1 + dice_.below(4);
        for (u32 i = 0; i < count; ++i) {
            const Scalar t = integer_type();
            const u32 size = size_of(t);
            std::string at;
            switch (dice_.below(4)) {
            case 0:
                at = form("{}", Args{dice_.below(kBlockBytes / size) * size});
                break;
            case 1:
                at = form("{}", Args{dice_.below(kBlockBytes - size + 1)});
                break;
            case 2:
                at = form("({} & {})", Args{integer(Scalar::kU32, 1), kBlockBytes - size});
                break;
            default:
                at = form("{} % {}", Args{integer(Scalar::kU32, 1), kBlockBytes - size + 1});
                break;
            }
            if (dice_.one_in(2))
                text += form("store<{}>({} + {}, {}); ", Args{name_of(t), base, at, integer(t, 1)});
            else
                text += into_variable(t, form("load<{}>({} + {})", Args{name_of(t), base, at})) + " ";
        }
        return text;
    }
    std::string fill(const std::string& base) {
        return form("for (u32 f = 0; f < 16; ++f) store<u32>({} + 4 * f, {} * f + {}); ",
                    Args{base, integer(Scalar::kU32, 1), integer(Scalar::kU32, 0)});
    }
    std::string last_load(const std::string& base) {
        return into_variable(Scalar::kU32, form("load<u32>({} + ({} & 60))", Args{base, integer(Scalar::kU32, 1)}));
    }
    std::string local_array() {
        const std::string base = form("m{}", Args{names_++});
        if (dice_.one_in(2)) {
            const Scalar t = any_type();
            const std::string element = form("{}[{} & 7]", Args{base, integer(Scalar::kU32, 1)});
            std::string text = form("{{ {} {}[8] = {{", Args{name_of(t), base});
            // A list allows no narrowing, and elementwise built-ins of clang 19 give the promoted type.
            for (u32 i = 0; i < 8; ++i)
                text += form("({})({}){}", Args{name_of(t), expression(t, dice_.below(2)), i == 7 ? "}; " : ", "});
            text += form("{} = {}; ", Args{element, expression(t, 1)});
            return text + into_variable(t, form("{}[{} & 7]", Args{base, integer(Scalar::kU32, 1)})) + " }";
        }
        return form("{{ alignas(8) u8 {}[64]; {}{}{} }}", Args{base, fill(base), accesses(base), last_load(base)});
    }
    std::string lds() {
        const u32 id = names_++;
        const std::string base = form("l{}", Args{id});
        return form(
            "{{ SHARED Block all{0}[32]; u8 *const l{0} = all{0}[item].b; {1}{2}{3}{4} }}",
            Args{id, fill(base), dice_.one_in(2) ? atomic(base) : std::string(), accesses(base), last_load(base)});
    }
    // On bytes of the work-item alone: what other items do to theirs does not show.
    std::string atomic(const std::string& base) {
        using enum Scalar;
        const Scalar t = dice_.of({kU32, kU32, kI32, kU64, kI64});
        const char* const n = name_of(t);
        const std::string place = form("{} + ({} & {})", Args{base, integer(kU32, 1), kBlockBytes - size_of(t)});
        const u32 op = dice_.below(9);
        if (op == 8)
            return into_variable(t, form("compare_exchange<{}>({}, load<{}>({}) | {}, {})",
                                         Args{n, place, n, place, integer(t, 0), integer(t, 1)})) +
                   " ";
        constexpr std::array kOps = {"fetch_add", "fetch_sub", "fetch_and", "fetch_or",
                                     "fetch_xor", "fetch_min", "fetch_max", "exchange"};
        return into_variable(t, form("{}<{}>({}, {})", Args{kOps[op], n, place, integer(t, 1)})) + " ";
    }
    std::string global_bytes() {
        if (dice_.one_in(3))
            return into_variable(Scalar::kU32, form("load<u32>({} + ({} & 60))",
                                                    Args{dice_.of({"in.b", "shared.b"}), integer(Scalar::kU32, 1)}));
        return form("{{ {}{}}}", Args{dice_.one_in(3) ? atomic("out.b") : std::string(), accesses("out.b")});
    }

    Dice dice_;
    Function function_;
    u32 names_ = 0; // of what statements declare
    bool has_helpers_ = false;
    Scalar helper_{}, helper_second_{};
};

} // namespace

Function generate(u64 seed, u32 number) { return Writer(seed, number).write(); }

std::string text_of(const Function& function) {
    const u32 n = function.number;
    std::string text = function.helpers;
    text += fmt::format("INLINE void function{}(const Block &in, const Block &shared, Block &out, u32 item) {{\n", n);
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        const Input& input = function.inputs[i];
        text += fmt::format("    {0} v{1} = load<{0}>({2}.b + {3});\n", name_of(input.type), i,
                            input.shared ? "shared" : "in", input.offset);
    }
    for (const std::string& statement : function.statements) text += "    " + statement + "\n";
    for (const std::string& store : function.stores) text += "    " + store + "\n";
    return text + "}\n";
}

std::string source_of(std::span<const Function> functions) {
    std::string text = fmt::format("#include \"{}/tests/emu/differential/prelude.hip\"\n\n", HKC_SOURCE_DIR);
    for (const Function& f : functions) text += text_of(f) + "\n";
    text += "#ifdef __HIP__\n";
    for (const Function& f : functions)
        text += fmt::format("extern \"C\" __attribute__((global)) void k{0}(const Block *__restrict__ in, const Block "
                            "*__restrict__ shared, Block "
                            "*__restrict__ out) {{\n    const u32 group = __builtin_amdgcn_workgroup_id_x(), item = "
                            "__builtin_amdgcn_workitem_id_x();\n    function{0}(in[{1} * group + item], shared[group], "
                            "out[{1} * group + item], "
                            "item);\n}}\n",
                            f.number, kGroupItems);
    text += fmt::format("#else\n#include <stdio.h>\nstatic Block in[{0}], shared[{1}], out[{0}];\n", kItems, kGroups);
    text += "template <typename F> static bool run(F f, FILE *from, FILE *to) {\n    if (fread(in, sizeof in, 1, from) "
            "!= 1 || "
            "fread(shared, sizeof shared, 1, from) != 1 || fread(out, sizeof out, 1, from) != 1) return false;\n";
    text += fmt::format("    for (u32 i = 0; i < {0}; ++i) f(in[i], shared[i / {1}], out[i], i % {1});\n", kItems,
                        kGroupItems);
    text +=
        "    return fwrite(out, sizeof out, 1, to) == 1;\n}\nint main(int, char **files) {\n"
        "    FILE *from = fopen(files[1], \"rb\"), *to = fopen(files[2], \"wb\");\n    if (!from || !to) return 1;\n";
    for (const Function& f : functions)
        text += fmt::format("    if (!run([](auto&&... a) {{ function{}(a...); }}, from, to)) return 1;\n", f.number);
    return text + "    return fclose(to) == 0 ? 0 : 1;\n}\n#endif\n";
}

std::vector<std::byte> inputs_of(const Function& function, u64 seed) {
    Dice dice(~seed * 0x9e3779b97f4a7c15u + function.number);
    std::vector<std::byte> bytes((kItems + kGroups) * kBlockBytes);
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        const u64 word = dice.word();
        std::memcpy(&bytes[at], &word, 8);
    }
    for (u32 block = 0; block < kItems + kGroups; ++block)
        for (const Input& input : function.inputs) {
            if (input.shared != (block >= kItems)) continue;
            const u64 value = value_bits(dice, input.type);
            std::memcpy(&bytes[block * kBlockBytes + input.offset], &value, size_of(input.type));
        }
    return bytes;
}

std::vector<std::byte> outputs_before() {
    std::vector<std::byte> bytes(std::size_t{kItems} * kBlockBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
    return bytes;
}

} // namespace pm::testing
