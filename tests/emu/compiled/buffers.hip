// Kernels that reach memory through buffer resources, for compiled_buffers_test.cpp: clang's builtins, and LLVM's
// intrinsics by name where there is no builtin. No headers, no device libraries.
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef __amdgpu_buffer_rsrc_t Resource;

#define KERNEL extern "C" __attribute__((global))
#define INTRINSIC __attribute__((device))

INTRINSIC u32 atomic_swap(u32, Resource, int, int, int) __asm("llvm.amdgcn.raw.ptr.buffer.atomic.swap.i32");
INTRINSIC u32 atomic_umax(u32, Resource, int, int, int) __asm("llvm.amdgcn.raw.ptr.buffer.atomic.umax.i32");
INTRINSIC u32 atomic_compare(u32, u32, Resource, int, int, int) __asm("llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32");
INTRINSIC unsigned long atomic_or64(unsigned long, Resource, int, int, int, int)
    __asm("llvm.amdgcn.struct.ptr.buffer.atomic.or.i64");
INTRINSIC f32x4 load_format(Resource, int, int, int, int) __asm("llvm.amdgcn.struct.ptr.buffer.load.format.v4f32");
INTRINSIC f16x4 load_format_half(Resource, int, int, int, int) __asm("llvm.amdgcn.struct.ptr.buffer.load.format.v4f16");
INTRINSIC void store_format(f32x4, Resource, int, int, int, int)
    __asm("llvm.amdgcn.struct.ptr.buffer.store.format.v4f32");

__attribute__((device)) inline u32 item() { return __builtin_amdgcn_workitem_id_x(); }

#if defined(__GFX10__)
#define FORMAT(gfx10, later) (gfx10)
#else
#define FORMAT(gfx10, later) (later)
#endif
constexpr u32 kByBytes = 3u << 28, kByRecords = 0, kIdentity = 0xfac;

// Each work-item takes 32 bytes of `in`, of which `bytes` bytes count; what lies beyond them is 0.
KERNEL void widths(void *in, void *out, u32 bytes) {
    const Resource from = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, kByBytes | FORMAT(22, 22) << 12);
    const Resource to = __builtin_amdgcn_make_buffer_rsrc(out, 0, 64 * 32, kByBytes | FORMAT(22, 22) << 12);
    const u32 at = 32 * item();
    const u8 a = __builtin_amdgcn_raw_buffer_load_b8(from, at + 1, 0, 0);
    const u16 b = __builtin_amdgcn_raw_buffer_load_b16(from, at, 2, 0);
    const u32 c = __builtin_amdgcn_raw_buffer_load_b32(from, at + 4, 0, 0);
    const u32x2 d = __builtin_amdgcn_raw_buffer_load_b64(from, at + 8, 0, 0);
    const u32x4 e = __builtin_amdgcn_raw_buffer_load_b128(from, at + 16, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b8(a, to, at + 1, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b8(0, to, at, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b16(b, to, at + 2, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b32(c, to, at + 4, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b64(d, to, at + 8, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b128(e, to, at + 16, 0, 0);
    // Beyond the range: nothing.
    __builtin_amdgcn_raw_buffer_store_b32(c, to, at + 64 * 32, 0, 0);
}

// `cells` holds a counter, a maximum, 64 words to swap and compare with, and 8 double words of bits.
KERNEL void atomics(u32 *cells, u32 *out) {
    const Resource r = __builtin_amdgcn_make_buffer_rsrc(cells, 0, 4 * (2 + 64), kByBytes | FORMAT(22, 22) << 12);
    const Resource bits = __builtin_amdgcn_make_buffer_rsrc(cells + 2 + 64, 8, 8, kByRecords | FORMAT(22, 22) << 12);
    const u32 i = item(), at = 4 * (2 + i);
    __builtin_amdgcn_raw_ptr_buffer_atomic_add_i32(static_cast<int>(i), r, 0, 0, 0);
    atomic_umax(i * 37 % 64, r, 4, 0, 0);
    const u32 before = atomic_swap(i + 500, r, static_cast<int>(at), 0, 0);
    const u32 kept = atomic_compare(i + 900, i % 2 == 0 ? i + 500 : i, r, static_cast<int>(at), 0, 0);
    atomic_or64(1ul << i, bits, static_cast<int>(i % 8), 0, 0, 0);
    atomic_or64(~0ul, bits, 8, 0, 0, 0); // no record: nothing
    out[i] = before + kept;
}

// Bytes as numbers from 0 to 1 and back, and as halves.
KERNEL void formats(u32 *in, f32x4 *numbers, u32 *back, f16x4 *halves) {
    const u32 flags = kByRecords | FORMAT(56u, 42u) << 12 | kIdentity;
    const Resource from = __builtin_amdgcn_make_buffer_rsrc(in, 4, 64, flags);
    const Resource to = __builtin_amdgcn_make_buffer_rsrc(back, 4, 64, flags);
    const int i = static_cast<int>(item());
    const f32x4 v = load_format(from, i, 0, 0, 0);
    numbers[i] = v;
    store_format(v, to, 63 - i, 0, 0, 0);
    halves[i] = load_format_half(from, i, 0, 0, 0);
}
