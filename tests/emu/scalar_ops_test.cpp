#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "tests/emu/kernel_rig.h"
#include "tests/emu/row_coverage.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <functional>
#include <random>
#include <tuple>

namespace pm::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using i128 = __int128;

constexpr u64 kSeed = 20260705;
constexpr std::size_t kCases = 256; // workgroups of one row

/// a in s[16:17], b in s[18:19], the result's old value in s[24:25].
struct In {
    u64 a = 0, b = 0, d = 0;
    bool scc = false;
    u32 exec = 0;
};
struct Out {
    u64 d = 0;
    bool scc = false;
    u32 exec = 0;
};

enum : unsigned { kGen10 = 1, kGen11 = 2, kGen12 = 4, kGen10And11 = 3, kGen11And12 = 6, kAllGens = 7 };

struct Case {
    std::string row;
    std::string assembly;
    std::function<Out(const In&)> expected;
    unsigned generations = kAllGens;
};

i128 uns(u64 v) { return static_cast<u32>(v); }
i128 sig(u64 v) { return static_cast<std::int32_t>(static_cast<u32>(v)); }
i128 power(unsigned n) { return i128{1} << n; }
i128 floor_shift(i128 v, unsigned n) { return v < 0 ? -((-v + power(n) - 1) / power(n)) : v / power(n); }
i128 part(i128 v, unsigned n) { return ((v % power(n)) + power(n)) % power(n); }
i128 signed_part(i128 v, unsigned n) {
    const i128 p = part(v, n);
    return n != 0 && p >= power(n - 1) ? p - power(n) : p;
}
u32 low(i128 v) { return static_cast<u32>(static_cast<u64>(v)); }
bool fits_signed(i128 v) { return v >= -power(31) && v < power(31); }

Out word(const In& i, i128 v) { return {(i.d >> 32 << 32) | low(v), i.scc, i.exec}; }
Out word(const In& i, i128 v, bool scc) { return {(i.d >> 32 << 32) | low(v), scc, i.exec}; }
Out word_nonzero(const In& i, i128 v) { return word(i, v, low(v) != 0); }
Out pair(const In& i, u64 v) { return {v, i.scc, i.exec}; }
Out pair_nonzero(const In& i, u64 v) { return {v, v != 0, i.exec}; }
Out only_scc(const In& i, bool scc) { return {i.d, scc, i.exec}; }
Out saved(const In& i, u32 exec) { return {(i.d >> 32 << 32) | i.exec, exec != 0, exec}; }

u64 bitwise(u64 a, u64 b, const std::function<bool(bool, bool)>& op) {
    std::bitset<64> x(a), y(b), r;
    for (std::size_t k = 0; k < 64; ++k) r[k] = op(x[k], y[k]);
    return r.to_ullong();
}

void add_logic(std::vector<Case>& all) {
    struct Logic {
        const char* name;
        std::function<bool(bool, bool)> op;
    };
    const Logic logic[] = {
        {"AND", [](bool a, bool b) { return a && b; }},    {"OR", [](bool a, bool b) { return a || b; }},
        {"XOR", [](bool a, bool b) { return a != b; }},    {"ANDN2", [](bool a, bool b) { return a && !b; }},
        {"ORN2", [](bool a, bool b) { return a || !b; }},  {"NAND", [](bool a, bool b) { return !(a && b); }},
        {"NOR", [](bool a, bool b) { return !(a || b); }}, {"XNOR", [](bool a, bool b) { return a == b; }}};
    for (const Logic& l : logic) {
        std::string lower = l.name;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        all.push_back({fmt::format("S_{}_B32", l.name), fmt::format("s_{}_b32 s24, s16, s18", lower),
                       [op = l.op](const In& i) { return word_nonzero(i, uns(bitwise(i.a, i.b, op))); }});
        all.push_back({fmt::format("S_{}_B64", l.name), fmt::format("s_{}_b64 s[24:25], s[16:17], s[18:19]", lower),
                       [op = l.op](const In& i) { return pair_nonzero(i, bitwise(i.a, i.b, op)); }});
    }
}

void add_compares(std::vector<Case>& all) {
    struct Compare {
        const char *upper, *lower;
        bool less, equal, greater;
    };
    for (const Compare c : {Compare{"EQ", "eq", false, true, false},
                            {"LG", "lg", true, false, true},
                            {"LT", "lt", true, false, false},
                            {"LE", "le", true, true, false},
                            {"GT", "gt", false, false, true},
                            {"GE", "ge", false, true, true}}) {
        const auto decide = [c](i128 a, i128 b) { return a < b ? c.less : a > b ? c.greater : c.equal; };
        all.push_back({fmt::format("S_CMP_{}_I32", c.upper), fmt::format("s_cmp_{}_i32 s16, s18", c.lower),
                       [=](const In& i) { return only_scc(i, decide(sig(i.a), sig(i.b))); }});
        all.push_back({fmt::format("S_CMP_{}_U32", c.upper), fmt::format("s_cmp_{}_u32 s16, s18", c.lower),
                       [=](const In& i) { return only_scc(i, decide(uns(i.a), uns(i.b))); }});
    }
    all.push_back(
        {"S_CMP_EQ_U64", "s_cmp_eq_u64 s[16:17], s[18:19]", [](const In& i) { return only_scc(i, i.a == i.b); }});
    all.push_back(
        {"S_CMP_LG_U64", "s_cmp_lg_u64 s[16:17], s[18:19]", [](const In& i) { return only_scc(i, i.a != i.b); }});
    all.push_back({"S_BITCMP0_B32", "s_bitcmp0_b32 s16, s18",
                   [](const In& i) { return only_scc(i, !std::bitset<32>(i.a & 0xffffffff)[i.b % 32]); }});
    all.push_back({"S_BITCMP1_B32", "s_bitcmp1_b32 s16, s18",
                   [](const In& i) { return only_scc(i, std::bitset<32>(i.a & 0xffffffff)[i.b % 32]); }});
}

void add_exec(std::vector<Case>& all) {
    const auto add = [&](const char* name, const char* mnemonic, const std::function<bool(bool, bool)>& op) {
        all.push_back({name, fmt::format("{} s24, s16", mnemonic),
                       [op](const In& i) { return saved(i, low(uns(bitwise(i.a & 0xffffffff, i.exec, op)))); }});
        // EXEC's upper half comes from b.
        std::string row = name, wide = mnemonic;
        row.replace(row.size() - 2, 2, "64");
        wide.replace(wide.size() - 2, 2, "64");
        all.push_back({row, fmt::format("s_mov_b32 exec_hi, s19\n  {} s[24:25], s[16:17]", wide), [op](const In& i) {
                           const u64 exec = i.exec | i.b >> 32 << 32, after = bitwise(i.a, exec, op);
                           return Out{exec, after != 0, static_cast<u32>(after)};
                       }});
    };
    // In terms of the source and EXEC before.
    add("S_AND_SAVEEXEC_B32", "s_and_saveexec_b32", [](bool s, bool e) { return s && e; });
    add("S_OR_SAVEEXEC_B32", "s_or_saveexec_b32", [](bool s, bool e) { return s || e; });
    add("S_XOR_SAVEEXEC_B32", "s_xor_saveexec_b32", [](bool s, bool e) { return s != e; });
    add("S_ANDN1_SAVEEXEC_B32", "s_andn1_saveexec_b32", [](bool s, bool e) { return !s && e; });
    add("S_ANDN2_SAVEEXEC_B32", "s_andn2_saveexec_b32", [](bool s, bool e) { return s && !e; });
    add("S_ORN1_SAVEEXEC_B32", "s_orn1_saveexec_b32", [](bool s, bool e) { return !s || e; });
    add("S_NAND_SAVEEXEC_B32", "s_nand_saveexec_b32", [](bool s, bool e) { return !(s && e); });
    add("S_NOR_SAVEEXEC_B32", "s_nor_saveexec_b32", [](bool s, bool e) { return !(s || e); });
    add("S_XNOR_SAVEEXEC_B32", "s_xnor_saveexec_b32", [](bool s, bool e) { return s == e; });
    // The result is the new EXEC.
    for (const bool of_exec : {false, true})
        all.push_back({of_exec ? "S_ANDN2_WREXEC_B32" : "S_ANDN1_WREXEC_B32",
                       of_exec ? "s_andn2_wrexec_b32 s24, s16" : "s_andn1_wrexec_b32 s24, s16", [of_exec](const In& i) {
                           const u32 s = low(uns(i.a)), e = of_exec ? s - (s & i.exec) : i.exec - (s & i.exec);
                           return Out{(i.d >> 32 << 32) | e, e != 0, e};
                       }});
    for (const bool of_exec : {false, true})
        all.push_back({of_exec ? "S_ANDN2_WREXEC_B64" : "S_ANDN1_WREXEC_B64",
                       fmt::format("s_mov_b32 exec_hi, s19\n  s_andn{}_wrexec_b64 s[24:25], s[16:17]", of_exec ? 2 : 1),
                       [of_exec](const In& i) {
                           const u64 exec = i.exec | i.b >> 32 << 32, both = i.a & exec,
                                     e = (of_exec ? i.a : exec) - both;
                           return Out{e, e != 0, static_cast<u32>(e)};
                       }});
    add("S_ORN2_SAVEEXEC_B32", "s_orn2_saveexec_b32", [](bool s, bool e) { return s || !e; });
}

std::string digits(u64 v, unsigned bits) {
    const std::string all = std::bitset<64>(v).to_string();
    return all.substr(64 - bits);
}
u64 number(const std::string& digits) { return std::bitset<64>(digits).to_ullong(); }
// The place of the first digit that differs from `like`; -1 where none does.
i128 first_other(const std::string& digits, char like) {
    const std::size_t at = digits.find_first_not_of(like);
    return at == std::string::npos ? -1 : static_cast<i128>(at);
}
std::string reversed(std::string text) {
    std::reverse(text.begin(), text.end());
    return text;
}

// In terms of the binary digits, the most significant first.
void add_bits(std::vector<Case>& all) {
    const auto d32 = [](u64 v) { return digits(v, 32); };
    const auto d64 = [](u64 v) { return digits(v, 64); };
    const auto count = [](const std::string& d, char c) {
        return static_cast<i128>(std::count(d.begin(), d.end(), c));
    };
    const auto set = [](std::string d, u64 at, char c) {
        d[d.size() - 1 - at % d.size()] = c;
        return number(d);
    };
    const auto quads = [](const std::string& d, bool whole) {
        std::string r;
        for (std::size_t k = 0; k < d.size(); k += 4)
            r += std::string(whole ? 4 : 1, d.substr(k, 4) == "0000" ? '0' : '1');
        return number(r);
    };
    const std::vector<Case> cases = {
        {"S_NOT_B64", "s_not_b64 s[24:25], s[16:17]", [](const In& i) { return pair_nonzero(i, ~i.a); }},
        {"S_BREV_B64", "s_brev_b64 s[24:25], s[16:17]",
         [=](const In& i) { return pair(i, number(reversed(d64(i.a)))); }},
        {"S_BCNT0_I32_B32", "s_bcnt0_i32_b32 s24, s16",
         [=](const In& i) { return word_nonzero(i, count(d32(i.a), '0')); }},
        {"S_BCNT0_I32_B64", "s_bcnt0_i32_b64 s24, s[16:17]",
         [=](const In& i) { return word_nonzero(i, count(d64(i.a), '0')); }},
        {"S_BCNT1_I32_B64", "s_bcnt1_i32_b64 s24, s[16:17]",
         [=](const In& i) { return word_nonzero(i, count(d64(i.a), '1')); }},
        {"S_FF0_I32_B32", "s_ff0_i32_b32 s24, s16",
         [=](const In& i) { return word(i, first_other(reversed(d32(i.a)), '1')); }, kGen10},
        {"S_FF0_I32_B64", "s_ff0_i32_b64 s24, s[16:17]",
         [=](const In& i) { return word(i, first_other(reversed(d64(i.a)), '1')); }, kGen10},
        {"S_FF1_I32_B64", "s_ff1_i32_b64 s24, s[16:17]",
         [=](const In& i) { return word(i, first_other(reversed(d64(i.a)), '0')); }},
        {"S_FLBIT_I32_B64", "s_flbit_i32_b64 s24, s[16:17]",
         [=](const In& i) { return word(i, first_other(d64(i.a), '0')); }},
        {"S_FLBIT_I32", "s_flbit_i32 s24, s16",
         [=](const In& i) { return word(i, first_other(d32(i.a), d32(i.a)[0])); }},
        {"S_FLBIT_I32_I64", "s_flbit_i32_i64 s24, s[16:17]",
         [=](const In& i) { return word(i, first_other(d64(i.a), d64(i.a)[0])); }},
        {"S_BITREPLICATE_B64_B32", "s_bitreplicate_b64_b32 s[24:25], s16",
         [=](const In& i) {
             std::string r;
             for (const char c : d32(i.a)) r += std::string(2, c);
             return pair(i, number(r));
         }},
        {"S_QUADMASK_B32", "s_quadmask_b32 s24, s16",
         [=](const In& i) { return word_nonzero(i, static_cast<i128>(quads(d32(i.a), false))); }},
        {"S_QUADMASK_B64", "s_quadmask_b64 s[24:25], s[16:17]",
         [=](const In& i) { return pair_nonzero(i, quads(d64(i.a), false)); }},
        {"S_WQM_B32", "s_wqm_b32 s24, s16",
         [=](const In& i) { return word_nonzero(i, static_cast<i128>(quads(d32(i.a), true))); }},
        {"S_WQM_B64", "s_wqm_b64 s[24:25], s[16:17]",
         [=](const In& i) { return pair_nonzero(i, quads(d64(i.a), true)); }},
        {"S_BITSET0_B32", "s_bitset0_b32 s24, s16",
         [=](const In& i) { return word(i, static_cast<i128>(set(d32(i.d), i.a, '0'))); }},
        {"S_BITSET1_B32", "s_bitset1_b32 s24, s16",
         [=](const In& i) { return word(i, static_cast<i128>(set(d32(i.d), i.a, '1'))); }},
        {"S_BITSET0_B64", "s_bitset0_b64 s[24:25], s16", [=](const In& i) { return pair(i, set(d64(i.d), i.a, '0')); }},
        {"S_BITSET1_B64", "s_bitset1_b64 s[24:25], s16", [=](const In& i) { return pair(i, set(d64(i.d), i.a, '1')); }},
        {"S_CMOV_B32", "s_cmov_b32 s24, s16", [](const In& i) { return word(i, i.scc ? uns(i.a) : uns(i.d)); }},
        {"S_CMOV_B64", "s_cmov_b64 s[24:25], s[16:17]", [](const In& i) { return pair(i, i.scc ? i.a : i.d); }},
        {"S_CMOVK_I32", "s_cmovk_i32 s24, 0x8001",
         [](const In& i) { return word(i, i.scc ? i128{-32767} : uns(i.d)); }},
        {"S_ADDK_I32", "s_addk_i32 s24, 0x8001",
         [](const In& i) { return word(i, sig(i.d) - 32767, !fits_signed(sig(i.d) - 32767)); }},
        {"S_MULK_I32", "s_mulk_i32 s24, 0x8001", [](const In& i) { return word(i, sig(i.d) * -32767); }},
        {"S_BFM_B64", "s_bfm_b64 s[24:25], s16, s18",
         [](const In& i) { return pair(i, static_cast<u64>((power(i.a % 64) - 1) * power(i.b % 64))); }},
        {"S_BFE_U64", "s_bfe_u64 s[24:25], s[16:17], s18",
         [](const In& i) {
             const auto width = static_cast<unsigned>(i.b >> 16 & 127);
             const i128 shifted = floor_shift(static_cast<i128>(i.a), i.b % 64);
             return pair_nonzero(i, static_cast<u64>(width >= 64 ? shifted : part(shifted, width)));
         }},
        {"S_BFE_I64", "s_bfe_i64 s[24:25], s[16:17], s18",
         [](const In& i) {
             const auto width = static_cast<unsigned>(i.b >> 16 & 127);
             const i128 shifted = floor_shift(static_cast<i64>(i.a), i.b % 64);
             return pair_nonzero(i, static_cast<u64>(width == 0    ? 0
                                                     : width >= 64 ? shifted
                                                                   : signed_part(shifted, width)));
         }},
        {"S_PACK_HL_B32_B16", "s_pack_hl_b32_b16 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) / 65536 + part(uns(i.b), 16) * 65536); }, kGen11And12},
        {"S_BITCMP0_B64", "s_bitcmp0_b64 s[16:17], s18",
         [=](const In& i) { return only_scc(i, d64(i.a)[63 - i.b % 64] == '0'); }},
        {"S_BITCMP1_B64", "s_bitcmp1_b64 s[16:17], s18",
         [=](const In& i) { return only_scc(i, d64(i.a)[63 - i.b % 64] == '1'); }},
    };
    all.insert(all.end(), cases.begin(), cases.end());
    for (const auto& [upper, lower, decide] :
         {std::tuple<const char*, const char*, bool (*)(i128, i128)>{"EQ", "eq", [](i128 a, i128 b) { return a == b; }},
          {"LG", "lg", [](i128 a, i128 b) { return a != b; }},
          {"LT", "lt", [](i128 a, i128 b) { return a < b; }},
          {"LE", "le", [](i128 a, i128 b) { return a <= b; }},
          {"GT", "gt", [](i128 a, i128 b) { return a > b; }},
          {"GE", "ge", [](i128 a, i128 b) { return a >= b; }}})
        for (const unsigned constant : {0x1fu, 0xffffu}) {
            all.push_back(
                {fmt::format("S_CMPK_{}_I32", upper), fmt::format("s_cmpk_{}_i32 s16, 0x{:x}", lower, constant),
                 [=, decide = decide](const In& i) { return only_scc(i, decide(sig(i.a), signed_part(constant, 16))); },
                 kGen10And11});
            all.push_back(
                {fmt::format("S_CMPK_{}_U32", upper), fmt::format("s_cmpk_{}_u32 s16, 0x{:x}", lower, constant),
                 [=, decide = decide](const In& i) { return only_scc(i, decide(uns(i.a), constant)); }, kGen10And11});
        }
}

std::vector<Case> all_cases() {
    std::vector<Case> all = {
        {"S_MOV_B32", "s_mov_b32 s24, s16", [](const In& i) { return word(i, uns(i.a)); }},
        {"S_MOV_B64", "s_mov_b64 s[24:25], s[16:17]", [](const In& i) { return pair(i, i.a); }},
        {"S_MOVK_I32", "s_movk_i32 s24, 0x8001", [](const In& i) { return word(i, -32767); }},
        {"S_NOT_B32", "s_not_b32 s24, s16", [](const In& i) { return word_nonzero(i, -1 - uns(i.a)); }},
        {"S_BREV_B32", "s_brev_b32 s24, s16",
         [](const In& i) {
             u64 r = 0;
             for (unsigned k = 0; k < 32; ++k) r = r * 2 + (i.a >> k & 1);
             return word(i, r);
         }},
        {"S_BCNT1_I32_B32", "s_bcnt1_i32_b32 s24, s16",
         [](const In& i) { return word_nonzero(i, static_cast<i128>(std::bitset<32>(i.a & 0xffffffff).count())); }},
        {"S_FF1_I32_B32", "s_ff1_i32_b32 s24, s16",
         [](const In& i) {
             for (int k = 0; k < 32; ++k)
                 if ((i.a >> k & 1) != 0) return word(i, k);
             return word(i, -1);
         }},
        {"S_FLBIT_I32_B32", "s_flbit_i32_b32 s24, s16",
         [](const In& i) {
             for (int k = 31; k >= 0; --k)
                 if ((i.a >> k & 1) != 0) return word(i, 31 - k);
             return word(i, -1);
         }},
        {"S_SEXT_I32_I8", "s_sext_i32_i8 s24, s16", [](const In& i) { return word(i, signed_part(uns(i.a), 8)); }},
        {"S_SEXT_I32_I16", "s_sext_i32_i16 s24, s16", [](const In& i) { return word(i, signed_part(uns(i.a), 16)); }},
        {"S_ABS_I32", "s_abs_i32 s24, s16",
         [](const In& i) { return word_nonzero(i, sig(i.a) < 0 ? -sig(i.a) : sig(i.a)); }},
        {"S_ADD_U32", "s_add_u32 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) + uns(i.b), uns(i.a) + uns(i.b) >= power(32)); }},
        {"S_SUB_U32", "s_sub_u32 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) - uns(i.b), uns(i.a) < uns(i.b)); }},
        {"S_ADDC_U32", "s_addc_u32 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) + uns(i.b) + i.scc, uns(i.a) + uns(i.b) + i.scc >= power(32)); }},
        {"S_SUBB_U32", "s_subb_u32 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) - uns(i.b) - i.scc, uns(i.a) < uns(i.b) + i.scc); }},
        {"S_ADD_I32", "s_add_i32 s24, s16, s18",
         [](const In& i) { return word(i, sig(i.a) + sig(i.b), !fits_signed(sig(i.a) + sig(i.b))); }},
        {"S_SUB_I32", "s_sub_i32 s24, s16, s18",
         [](const In& i) { return word(i, sig(i.a) - sig(i.b), !fits_signed(sig(i.a) - sig(i.b))); }},
        {"S_ADD_U64", "s_add_nc_u64 s[24:25], s[16:17], s[18:19]",
         [](const In& i) { return pair(i, static_cast<u64>(static_cast<i128>(i.a) + static_cast<i128>(i.b))); },
         kGen12},
        {"S_SUB_U64", "s_sub_nc_u64 s[24:25], s[16:17], s[18:19]",
         [](const In& i) { return pair(i, static_cast<u64>(static_cast<i128>(i.a) - static_cast<i128>(i.b))); },
         kGen12},
        {"S_MUL_U64", "s_mul_u64 s[24:25], s[16:17], s[18:19]",
         [](const In& i) { return pair(i, static_cast<u64>(static_cast<unsigned __int128>(i.a) * i.b)); }, kGen12},
        {"S_MUL_I32", "s_mul_i32 s24, s16, s18", [](const In& i) { return word(i, sig(i.a) * sig(i.b)); }},
        {"S_MUL_HI_U32", "s_mul_hi_u32 s24, s16, s18",
         [](const In& i) { return word(i, floor_shift(uns(i.a) * uns(i.b), 32)); }},
        {"S_MUL_HI_I32", "s_mul_hi_i32 s24, s16, s18",
         [](const In& i) { return word(i, floor_shift(sig(i.a) * sig(i.b), 32)); }},
        // SCC: the first operand is the result, and not equal to the second.
        {"S_MIN_I32", "s_min_i32 s24, s16, s18",
         [](const In& i) { return word(i, std::min(sig(i.a), sig(i.b)), sig(i.a) < sig(i.b)); }},
        {"S_MIN_U32", "s_min_u32 s24, s16, s18",
         [](const In& i) { return word(i, std::min(uns(i.a), uns(i.b)), uns(i.a) < uns(i.b)); }},
        {"S_ABSDIFF_I32", "s_absdiff_i32 s24, s16, s18",
         [](const In& i) {
             // The difference wraps to 32 bits before its absolute value is taken.
             const i128 d = signed_part(sig(i.a) - sig(i.b), 32);
             return word_nonzero(i, d < 0 ? -d : d);
         }},
        {"S_LSHL_B32", "s_lshl_b32 s24, s16, s18",
         [](const In& i) { return word_nonzero(i, uns(i.a) * power(i.b % 32)); }},
        {"S_LSHR_B32", "s_lshr_b32 s24, s16, s18",
         [](const In& i) { return word_nonzero(i, uns(i.a) / power(i.b % 32)); }},
        {"S_ASHR_I32", "s_ashr_i32 s24, s16, s18",
         [](const In& i) { return word_nonzero(i, floor_shift(sig(i.a), i.b % 32)); }},
        {"S_LSHL_B64", "s_lshl_b64 s[24:25], s[16:17], s18",
         [](const In& i) {
             return pair_nonzero(i, static_cast<u64>(static_cast<unsigned __int128>(i.a) << (i.b % 64)));
         }},
        {"S_LSHR_B64", "s_lshr_b64 s[24:25], s[16:17], s18",
         [](const In& i) { return pair_nonzero(i, static_cast<u64>(static_cast<i128>(i.a) / power(i.b % 64))); }},
        {"S_ASHR_I64", "s_ashr_i64 s[24:25], s[16:17], s18",
         [](const In& i) { return pair_nonzero(i, static_cast<u64>(floor_shift(static_cast<i64>(i.a), i.b % 64))); }},
        {"S_BFM_B32", "s_bfm_b32 s24, s16, s18",
         [](const In& i) { return word(i, (power(i.a % 32) - 1) * power(i.b % 32)); }},
        {"S_BFE_U32", "s_bfe_u32 s24, s16, s18",
         [](const In& i) {
             return word_nonzero(i,
                                 part(floor_shift(uns(i.a), i.b % 32), static_cast<unsigned>(i.b >> 16 & 127) % 128));
         }},
        {"S_BFE_I32", "s_bfe_i32 s24, s16, s18",
         [](const In& i) {
             const auto width = static_cast<unsigned>(i.b >> 16 & 127);
             const i128 shifted = floor_shift(sig(i.a), i.b % 32);
             return word_nonzero(i, width == 0 ? 0 : width >= 32 ? shifted : signed_part(shifted, width));
         }},
        {"S_PACK_LL_B32_B16", "s_pack_ll_b32_b16 s24, s16, s18",
         [](const In& i) { return word(i, part(uns(i.a), 16) + part(uns(i.b), 16) * 65536); }},
        {"S_PACK_LH_B32_B16", "s_pack_lh_b32_b16 s24, s16, s18",
         [](const In& i) { return word(i, part(uns(i.a), 16) + uns(i.b) / 65536 * 65536); }},
        {"S_PACK_HH_B32_B16", "s_pack_hh_b32_b16 s24, s16, s18",
         [](const In& i) { return word(i, uns(i.a) / 65536 + uns(i.b) / 65536 * 65536); }},
        {"S_CSELECT_B32", "s_cselect_b32 s24, s16, s18",
         [](const In& i) { return word(i, i.scc ? uns(i.a) : uns(i.b)); }},
        {"S_CSELECT_B64", "s_cselect_b64 s[24:25], s[16:17], s[18:19]",
         [](const In& i) { return pair(i, i.scc ? i.a : i.b); }},
    };
    for (const auto& [name, mnemonic] : {std::pair{"S_MAX_I32", "s_max_i32"}, {"S_MAX_U32", "s_max_u32"}})
        all.push_back({name, fmt::format("{} s24, s16, s18", mnemonic), [is_signed = name[6] == 'I'](const In& i) {
                           const i128 a = is_signed ? sig(i.a) : uns(i.a), b = is_signed ? sig(i.b) : uns(i.b);
                           return word(i, std::max(a, b), a > b);
                       }});
    for (const unsigned shift : {1u, 2u, 3u, 4u})
        all.push_back({fmt::format("S_LSHL{}_ADD_U32", shift), fmt::format("s_lshl{}_add_u32 s24, s16, s18", shift),
                       [shift](const In& i) {
                           const i128 sum = uns(i.a) * power(shift) + uns(i.b);
                           return word(i, sum, sum >= power(32));
                       }});
    add_bits(all);
    add_logic(all);
    add_compares(all);
    add_exec(all);
    return all;
}

// One workgroup a case: loads its record, executes with the record's SCC and EXEC, stores the result, SCC and EXEC.
std::string body_of(const Case& c) {
    return fmt::format(R"(
  s_load_dwordx4 s[4:7], s[8:9], 0x0
  wait_all
  s_lshl_b32 s13, s10, 5
  s_load_dwordx8 s[16:23], s[4:5], s13
  wait_all
  s_mov_b64 s[24:25], s[20:21]
  v_mov_b32_e32 v2, s10
  v_lshlrev_b32_e32 v2, 4, v2
  s_mov_b32 exec_lo, s23
  s_cmp_lg_u32 s22, 0
  {}
  s_cselect_b32 s26, 1, 0
  s_mov_b32 s27, exec_lo
  s_mov_b32 exec_lo, 1
  v_mov_b32_e32 v4, s24
  v_mov_b32_e32 v5, s25
  v_mov_b32_e32 v6, s26
  v_mov_b32_e32 v7, s27
  global_store_dwordx4 v2, v[4:7], s[6:7]
)",
                       c.assembly);
}

std::vector<In> inputs() {
    constexpr u32 kEdges[] = {0,          1,          2,          3,          31,         32,
                              33,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                              0xffff,     0x10000,    0x1f0000,   0x200005,   0x7f001f,   0x7fffffff,
                              0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa};
    std::mt19937_64 random(kSeed);
    const auto word = [&]() -> u64 {
        return random() % 2 == 0 ? kEdges[random() % std::size(kEdges)] : static_cast<u32>(random()) >> (random() % 32);
    };
    const auto wide = [&] { return word() | word() << 32; };
    std::vector<In> all(kCases);
    for (In& i : all) {
        i = {wide(), wide(), wide(), random() % 2 == 0, static_cast<u32>(word())};
        if (random() % 8 == 0) i.b = i.a;
    }
    return all;
}

class OnChip : public ::testing::TestWithParam<unsigned> {};

TEST_P(OnChip, EveryScalarInstructionGivesTheBitsOfTheIsa) {
    const Chip& chip = chips()[GetParam()];
    std::vector<Case> cases;
    std::vector<KernelText> kernels;
    for (Case& c : all_cases()) {
        if ((c.generations >> (chip.generation - 10) & 1u) == 0) continue;
        KernelText k;
        k.name = fmt::format("case{}", cases.size());
        k.body = body_of(c);
        kernels.push_back(std::move(k));
        cases.push_back(std::move(c));
    }
    Rig rig(chip, kernels);
    ASSERT_TRUE(rig.ok());
    auto disassembler = isa::Disassembler::create(chip);
    ASSERT_TRUE(disassembler);
    const std::vector<In> lanes = inputs();
    std::vector<u64> words;
    for (const In& i : lanes) words.insert(words.end(), {i.a, i.b, i.d, (i.scc ? 1u : 0u) | u64{i.exec} << 32});
    emu::Allocation* const in = rig.buffer(words);
    emu::Allocation* const out = rig.buffer(std::vector<u32>(4 * kCases));
    for (std::size_t n = 0; n < cases.size(); ++n) {
        SCOPED_TRACE(chip.name + ": " + cases[n].row + ": " + cases[n].assembly);
        const auto program = emu::lift(rig.object(), *rig.object().find_kernel(kernels[n].name), **disassembler);
        ASSERT_TRUE(program);
        const auto& insts = (*program)->insts;
        EXPECT_TRUE(std::any_of(insts.begin(), insts.end(),
                                [&](const emu::Inst& i) { return i.row != nullptr && i.row->name == cases[n].row; }));
        ASSERT_EQ(text_of(rig.launch(kernels[n].name, Rig::pack(in, out), {kCases, 1, 1})), "");
        const auto got = words_of<u32>(out);
        int shown = 0;
        for (std::size_t i = 0; i < kCases && shown < 3; ++i) {
            const Out want = cases[n].expected(lanes[i]);
            const u64 d = got[4 * i] | u64{got[4 * i + 1]} << 32;
            if (d == want.d && (got[4 * i + 2] != 0) == want.scc && got[4 * i + 3] == want.exec) continue;
            ++shown;
            ADD_FAILURE() << fmt::format(
                "a={:x} b={:x} d={:x} scc={} exec={:x}: {:x} scc={} exec={:x}, expected {:x} scc={} exec={:x}; seed {}",
                lanes[i].a, lanes[i].b, lanes[i].d, lanes[i].scc, lanes[i].exec, d, got[4 * i + 2], got[4 * i + 3],
                want.d, want.scc, want.exec, kSeed);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Range(0u, static_cast<unsigned>(chips().size())),
                         [](const auto& info) { return chips()[info.param].name; });

TEST(ScalarRows, EachHasATest) { expect_rows_covered(emu::scalar_rows(), all_cases()); }

} // namespace
} // namespace pm::testing
