// What every generated function is written with; for the host (-x c++) and for the chips (-x hip). No headers, no device
// libraries.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));

#ifdef __HIP__
#define DEVICE static __attribute__((device))
#define SHARED __attribute__((shared))
#define TABLE static __attribute__((device)) const
#else
#define DEVICE static
#define SHARED static
#define TABLE static const
#endif
#define INLINE DEVICE inline __attribute__((always_inline))
#define NOINLINE DEVICE __attribute__((noinline))

struct alignas(16) Block {
    u8 b[64];
};

template <typename T> INLINE T load(const u8 *p) { T t; __builtin_memcpy(&t, p, sizeof t); return t; }
template <typename T> INLINE void store(u8 *p, T t) { __builtin_memcpy(p, &t, sizeof t); }
template <typename T, typename F> INLINE T cast_bits(F f) { return __builtin_bit_cast(T, f); }

template <typename T> struct Bits;
template <> struct Bits<f16> { typedef u16 type; static constexpr u16 nan = 0x7e00, sign = 0x8000; };
template <> struct Bits<f32> { typedef u32 type; static constexpr u32 nan = 0x7fc00000, sign = 0x80000000; };
template <> struct Bits<f64> { typedef u64 type; static constexpr u64 nan = 0x7ff8000000000000, sign = 0x8000000000000000; };
template <typename F> INLINE typename Bits<F>::type bits(F x) { return x != x ? Bits<F>::nan : cast_bits<typename Bits<F>::type>(x); }
template <typename F> INLINE F quiet(F x) { return x != x ? cast_bits<F>(Bits<F>::nan) : x; }
template <typename F> INLINE F plus_zero(F x) { return x == (F)0 ? (F)0 : x; }
// The compilers make a product of singles that is rounded to a half a fused one with +0, which loses a zero's sign.
INLINE f16 half(f32 x) { return plus_zero((f16)x); }
template <typename F> INLINE F with_sign(F x, F of) { return __builtin_elementwise_copysign(x, of != of ? (F)1 : of); }
template <typename F> INLINE F min_of(F a, F b) { return a < b ? a : b; }
template <typename F> INLINE F max_of(F a, F b) { return a > b ? a : b; }

INLINE f32 fmin_of(f32 a, f32 b) { return plus_zero(__builtin_fminf(quiet(a), quiet(b))); }
INLINE f32 fmax_of(f32 a, f32 b) { return plus_zero(__builtin_fmaxf(quiet(a), quiet(b))); }
INLINE f64 fmin_of(f64 a, f64 b) { return plus_zero(__builtin_fmin(quiet(a), quiet(b))); }
INLINE f64 fmax_of(f64 a, f64 b) { return plus_zero(__builtin_fmax(quiet(a), quiet(b))); }
INLINE f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
INLINE f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
INLINE f32 root(f32 x) { return __builtin_sqrtf(x); }
INLINE f64 root(f64 x) { return __builtin_sqrt(x); }
INLINE f32 floor_of(f32 x) { return __builtin_floorf(x); }
INLINE f64 floor_of(f64 x) { return __builtin_floor(x); }
INLINE f32 ceil_of(f32 x) { return __builtin_ceilf(x); }
INLINE f64 ceil_of(f64 x) { return __builtin_ceil(x); }
INLINE f32 trunc_of(f32 x) { return __builtin_truncf(x); }
INLINE f64 trunc_of(f64 x) { return __builtin_trunc(x); }
INLINE f32 rint_of(f32 x) { return __builtin_rintf(x); }
INLINE f64 rint_of(f64 x) { return __builtin_rint(x); }
INLINE f32 round_of(f32 x) { return __builtin_roundf(x); }
INLINE f64 round_of(f64 x) { return __builtin_round(x); }
INLINE f32 scale(f32 x, i32 e) { return __builtin_ldexpf(x, e); }
INLINE f64 scale(f64 x, i32 e) { return __builtin_ldexp(x, e); }
INLINE f32 mantissa(f32 x) { i32 e; return __builtin_frexpf(x, &e); }
INLINE f64 mantissa(f64 x) { i32 e; return __builtin_frexp(x, &e); }
INLINE i32 exponent(f32 x) { i32 e = 0; (void)__builtin_frexpf(x, &e); return __builtin_isfinite(x) ? e : 99; }
INLINE i32 exponent(f64 x) { i32 e = 0; (void)__builtin_frexp(x, &e); return __builtin_isfinite(x) ? e : 99; }
// Half precision. A host without it computes the exact sum in 113 bits and rounds once.
#ifdef __HIP__
INLINE f16 fused(f16 a, f16 b, f16 c) { return __builtin_elementwise_fma(a, b, c); }
INLINE f16 root(f16 x) { return __builtin_elementwise_sqrt(x); }
INLINE f16 floor_of(f16 x) { return __builtin_elementwise_floor(x); }
INLINE f16 ceil_of(f16 x) { return __builtin_elementwise_ceil(x); }
INLINE f16 trunc_of(f16 x) { return __builtin_elementwise_trunc(x); }
INLINE f16 rint_of(f16 x) { return __builtin_elementwise_rint(x); }
INLINE f16 fmin_of(f16 a, f16 b) { return plus_zero((f16)__builtin_fminf16(quiet(a), quiet(b))); }
INLINE f16 fmax_of(f16 a, f16 b) { return plus_zero((f16)__builtin_fmaxf16(quiet(a), quiet(b))); }
#else
INLINE f16 fused(f16 a, f16 b, f16 c) { return (f16)((__float128)a * (__float128)b + (__float128)c); }
INLINE f16 root(f16 x) { return (f16)__builtin_sqrtf((f32)x); }
INLINE f16 floor_of(f16 x) { return (f16)__builtin_floorf((f32)x); }
INLINE f16 ceil_of(f16 x) { return (f16)__builtin_ceilf((f32)x); }
INLINE f16 trunc_of(f16 x) { return (f16)__builtin_truncf((f32)x); }
INLINE f16 rint_of(f16 x) { return (f16)__builtin_rintf((f32)x); }
INLINE f16 fmin_of(f16 a, f16 b) { return plus_zero(a != a ? quiet(b) : b != b ? a : a < b ? a : b); }
INLINE f16 fmax_of(f16 a, f16 b) { return plus_zero(a != a ? quiet(b) : b != b ? a : a > b ? a : b); }
#endif

// clang 19 divides an unsigned number that was a sign-extended one as if it had 24 bits (llvm/llvm-project#119325): its
// sign is hidden there.
template <typename T> INLINE T dividend(T a) {
#if defined(__HIP__) && __clang_major__ < 20
    if constexpr (sizeof(T) >= 4 && (T)-1 > (T)0) asm("" : "+v"(a));
#endif
    return a;
}
template <typename T> INLINE T quotient(T a, T b) { return b == (T)0 || ((T)-1 < (T)0 && b == (T)-1) ? (T)(a ^ b) : (T)(dividend(a) / b); }
template <typename T> INLINE T remainder(T a, T b) { return b == (T)0 || ((T)-1 < (T)0 && b == (T)-1) ? (T)(a + b) : (T)(dividend(a) % b); }
template <typename T> INLINE T shl(T a, u32 n) { return (T)(a << (n & (8 * sizeof(T) - 1))); }
template <typename T> INLINE T shr(T a, u32 n) { return (T)(a >> (n & (8 * sizeof(T) - 1))); }
template <typename T> INLINE T absolute(T a) { return (T)(a < (T)0 ? (T)(0 - a) : a); }
// The truncated value where that is in range. An end beyond the largest half is infinity: every half is in range then.
template <typename T, typename F> INLINE T to_int(F x) {
    constexpr bool with_sign = (T)-1 < (T)0;
    const F end = (F)((f64)((u64)1 << (8 * sizeof(T) - 1)) * (with_sign ? 1 : 2));
    return x > (with_sign ? -end : (F)-1) && x < end ? (T)x : (T)7;
}
INLINE u32 rotl(u32 a, u32 n) { return __builtin_rotateleft32(a, n); }
INLINE u64 rotl(u64 a, u32 n) { return __builtin_rotateleft64(a, n); }
INLINE u16 rotl(u16 a, u32 n) { return __builtin_rotateleft16(a, (u16)n); }
INLINE u8 rotl(u8 a, u32 n) { return __builtin_rotateleft8(a, (u8)n); }
INLINE u32 reversed(u32 a) { return __builtin_bitreverse32(a); }
INLINE u64 reversed(u64 a) { return __builtin_bitreverse64(a); }
INLINE u16 reversed(u16 a) { return __builtin_bitreverse16(a); }
INLINE u8 reversed(u8 a) { return __builtin_bitreverse8(a); }
INLINE u32 swapped(u32 a) { return __builtin_bswap32(a); }
INLINE u64 swapped(u64 a) { return __builtin_bswap64(a); }
INLINE u16 swapped(u16 a) { return __builtin_bswap16(a); }
INLINE u8 swapped(u8 a) { return (u8)(a << 4 | a >> 4); }
INLINE u32 leading(u64 a) { return a == 0 ? 64 : (u32)__builtin_clzl(a); }
INLINE u32 leading(u32 a) { return a == 0 ? 32 : (u32)__builtin_clz(a); }
INLINE u32 leading(u16 a) { return a == 0 ? 16 : (u32)__builtin_clz(a) - 16; }
INLINE u32 leading(u8 a) { return a == 0 ? 8 : (u32)__builtin_clz(a) - 24; }
INLINE u32 trailing(u64 a) { return a == 0 ? 64 : (u32)__builtin_ctzl(a); }
INLINE u32 trailing(u32 a) { return a == 0 ? 32 : (u32)__builtin_ctz(a); }
INLINE u32 trailing(u16 a) { return a == 0 ? 16 : (u32)__builtin_ctz(a); }
INLINE u32 trailing(u8 a) { return a == 0 ? 8 : (u32)__builtin_ctz(a); }
INLINE u32 sign_bits(i32 a) { return (u32)__builtin_clrsb(a); }
INLINE u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
INLINE i64 high(i64 a, i64 b) { return (i64)((__int128)a * b >> 64); }
INLINE u32 high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
INLINE i32 high(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }
INLINE u32 extract(u32 a, u32 from, u32 count) { return a >> (from & 31) & ((1u << (count & 31)) - 1); }
INLINE u32 insert(u32 mask, u32 a, u32 b) { return (a & mask) | (b & ~mask); }
INLINE u32 aligned_bits(u32 a, u32 b, u32 n) { return (u32)(((u64)a << 32 | b) >> (n & 31)); }
INLINE u32 aligned_bytes(u32 a, u32 b, u32 n) { return (u32)(((u64)a << 32 | b) >> (8 * (n & 3))); }
INLINE u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
INLINE u32 sad(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 32; i += 8) c += distance(a >> i & 255, b >> i & 255);
    return c;
}
INLINE u32 dot4(u32 a, u32 b, u32 c) {
    return c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> 24);
}
INLINE i32 dot4(i32 a, i32 b, i32 c) {
    return c + (i8)a * (i8)b + (i8)(a >> 8) * (i8)(b >> 8) + (i8)(a >> 16) * (i8)(b >> 16) + (i8)(a >> 24) * (i8)(b >> 24);
}
INLINE i32 dot2(i32 a, i32 b, i32 c) { return c + (i16)a * (i16)b + (i16)(a >> 16) * (i16)(b >> 16); }
INLINE i32 dot8(i32 a, i32 b, i32 c) {
    for (u32 i = 0; i < 32; i += 4) c += (a << (28 - i) >> 28) * (b << (28 - i) >> 28);
    return c;
}
INLINE u32 select_bytes(u32 a, u32 b, u32 pattern) {
    u32 r = 0;
    for (u32 i = 0; i < 32; i += 8) {
        const u32 s = pattern >> i & 7;
        r |= ((s < 4 ? b >> 8 * s : a >> 8 * (s - 4)) & 255) << i;
    }
    return r;
}
template <typename V> INLINE u32 pack_of(V v) { return cast_bits<u32>(v); }
INLINE u32 pack_of(f16x2 v) { return (u32)bits(v.x) | (u32)bits(v.y) << 16; }
template <typename T, int mask> INLINE bool classified(T x) { return __builtin_isfpclass(x, mask); }
// Whether the exact result does not fit; the result that wraps is in `r`.
template <typename T> INLINE T with_overflow(bool over, T r) { return over ? (T)~r : r; }
// clang 22 takes an operand that wrapped for an overflow of the whole (llvm/llvm-project#204362): how unsigned operands of
// 64 bits came about is hidden there.
template <typename T> INLINE T term(T a) {
#if defined(__HIP__) && __clang_major__ >= 20
    if constexpr (sizeof(T) == 8 && (T)-1 > (T)0) asm("" : "+v"(a));
#endif
    return a;
}
template <typename T> INLINE T checked_add(T a, T b) { T r; const bool over = __builtin_add_overflow(term(a), term(b), &r); return with_overflow(over, r); }
template <typename T> INLINE T checked_sub(T a, T b) { T r; const bool over = __builtin_sub_overflow(term(a), term(b), &r); return with_overflow(over, r); }
template <typename T> INLINE T saturated_add(T a, T b) { return __builtin_elementwise_add_sat(term(a), term(b)); }
template <typename T> INLINE T saturated_sub(T a, T b) { return __builtin_elementwise_sub_sat(term(a), term(b)); }
template <typename T> INLINE T checked_mul(T a, T b) { T r; const bool over = __builtin_mul_overflow(a, b, &r); return with_overflow(over, r); }

// Atomics on bytes that one work-item has to itself; the host has no need to be atomic.
#ifdef __HIP__
#define ATOMIC(NAME, BUILTIN, AFTER) \
    template <typename T> INLINE T NAME(u8 *at, T v) { return BUILTIN((T *)at, v, __ATOMIC_RELAXED); }
template <typename T> INLINE T compare_exchange(u8 *at, T expected, T v) {
    __atomic_compare_exchange_n((T *)at, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
#else
#define ATOMIC(NAME, BUILTIN, AFTER) \
    template <typename T> INLINE T NAME(u8 *at, T v) { \
        T *const p = (T *)at, old = *p; \
        *p = (AFTER); \
        return old; \
    }
template <typename T> INLINE T compare_exchange(u8 *at, T expected, T v) {
    T *const p = (T *)at, old = *p;
    if (old == expected) *p = v;
    return old;
}
#endif
ATOMIC(fetch_add, __atomic_fetch_add, old + v)
ATOMIC(fetch_sub, __atomic_fetch_sub, old - v)
ATOMIC(fetch_and, __atomic_fetch_and, old & v)
ATOMIC(fetch_or, __atomic_fetch_or, old | v)
ATOMIC(fetch_xor, __atomic_fetch_xor, old ^ v)
ATOMIC(fetch_min, __atomic_fetch_min, old < v ? old : v)
ATOMIC(fetch_max, __atomic_fetch_max, old > v ? old : v)
ATOMIC(exchange, __atomic_exchange_n, v)
