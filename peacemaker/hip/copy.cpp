#include "peacemaker/hip/copy.h"

#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::hip {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// One side of a copy. Pinned host memory is the host's: what it holds is as defined as any host byte.
struct Side {
    Place place;
    bool on_device = false;

    emu::Allocation& allocation() const { return *place.allocation; }
};

/// False where the range begins in an allocation and leaves it.
bool resolve(Runtime& runtime, const void* pointer, std::size_t size, Side& side) {
    side.place = runtime.place_of(pointer);
    if (side.place.allocation == nullptr) return true;
    side.on_device = !side.allocation().mapped;
    return side.allocation().contains(address_of(pointer), size);
}

void note_undefined(Runtime& runtime, const char* call, const emu::Allocation& from, std::uint64_t address,
                    std::size_t size) {
    const std::uint64_t first = emu::Memory::first_undefined(from, address, size);
    if (first == 0) return;
    const auto begin = from.undefined.begin() + static_cast<std::ptrdiff_t>(address - from.address);
    const auto count =
        std::count_if(begin, begin + static_cast<std::ptrdiff_t>(size), [](auto mask) { return mask != 0; });
    emu::Finding finding;
    finding.kind = emu::FindingKind::kUndefinedOutput;
    finding.address = first;
    finding.detail =
        fmt::format("{}: {} of {} bytes that the host reads are undefined; the first is byte {} of an allocation of "
                    "{} bytes",
                    call, count, size, first - from.address, from.size);
    emu::Report report;
    report.add(finding);
    runtime.note(report);
}

void copy_shadow(const emu::Allocation& from, std::uint64_t source, emu::Allocation& to, std::uint64_t target,
                 std::size_t size) {
    if (from.whole()) {
        emu::Memory::set_defined(to, target, size);
        return;
    }
    if (to.whole()) to.undefined.assign(to.size, 0);
    std::memmove(to.undefined.data() + (target - to.address), from.undefined.data() + (source - from.address), size);
}

} // namespace

hipError_t copy_now(Runtime& runtime, const char* call, void* dst, const void* src, std::size_t size,
                    hipMemcpyKind kind) {
    if (size == 0) return hipSuccess;
    Side to;
    Side from;
    if (!resolve(runtime, dst, size, to) || !resolve(runtime, src, size, from)) return hipErrorInvalidValue;
    const bool needs_device_source = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    const bool needs_device_target = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    if (needs_device_source && from.place.allocation == nullptr) return hipErrorInvalidValue;
    if (needs_device_target && to.place.allocation == nullptr) return hipErrorInvalidValue;

    std::memmove(dst, src, size);
    if (to.on_device && from.on_device) {
        copy_shadow(from.allocation(), address_of(src), to.allocation(), address_of(dst), size);
        emu::Memory::settle(to.allocation());
    } else if (to.on_device) {
        emu::Memory::set_defined(to.allocation(), address_of(dst), size);
        emu::Memory::settle(to.allocation());
    } else if (from.on_device) {
        note_undefined(runtime, call, from.allocation(), address_of(src), size);
    }
    return hipSuccess;
}

hipError_t check_copy(const void* dst, const void* src, std::size_t size, hipMemcpyKind kind) {
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
    if (size != 0 && (dst == nullptr || src == nullptr)) return hipErrorInvalidValue;
    return hipSuccess;
}

namespace {

template <typename Element>
hipError_t fill_now(Runtime& runtime, void* dst, Element value, std::size_t count) {
    if (count == 0) return hipSuccess;
    if (count > SIZE_MAX / sizeof(Element)) return hipErrorInvalidValue;
    const std::size_t size = count * sizeof(Element);
    const Place place = runtime.place_of(dst);
    if (place.allocation == nullptr || !place.allocation->contains(address_of(dst), size)) return hipErrorInvalidValue;
    std::fill_n(static_cast<Element*>(dst), count, value);
    emu::Memory::set_defined(*place.allocation, address_of(dst), size);
    emu::Memory::settle(*place.allocation);
    return hipSuccess;
}

/// Copies on no stream: the host waits, which a capture forbids. Of this and the others, `call` is the function of HIP
/// that calls it.
hipError_t copy(void* dst, const void* src, std::size_t size, hipMemcpyKind kind,
                const char* call = __builtin_FUNCTION()) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_copy(dst, src, size, kind); error != hipSuccess) return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return copy_now(runtime, call, dst, src, size, kind);
    });
}

hipError_t copy_async(void* dst, const void* src, std::size_t size, hipMemcpyKind kind, hipStream_t stream,
                      const char* call = __builtin_FUNCTION()) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_copy(dst, src, size, kind); error != hipSuccess) return error;
        return runtime.enqueue(
            stream, {hipGraphNodeTypeMemcpy, [=](Runtime& r) { return copy_now(r, call, dst, src, size, kind); }, {}});
    });
}

template <typename Element>
hipError_t check_fill(const void* dst, std::size_t count) {
    if (count == 0) return hipSuccess;
    return dst == nullptr || address_of(dst) % sizeof(Element) != 0 ? hipErrorInvalidValue : hipSuccess;
}

template <typename Element>
hipError_t fill(void* dst, Element value, std::size_t count) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_fill<Element>(dst, count); error != hipSuccess) return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return fill_now(runtime, dst, value, count);
    });
}

template <typename Element>
hipError_t fill_async(void* dst, Element value, std::size_t count, hipStream_t stream) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_fill<Element>(dst, count); error != hipSuccess) return error;
        return runtime.enqueue(
            stream, {hipGraphNodeTypeMemset, [=](Runtime& r) { return fill_now(r, dst, value, count); }, {}});
    });
}

/// A rectangle of bytes: `height` rows of `width` bytes, `pitch` bytes from one to the next.
struct Rows {
    std::size_t width = 0, height = 0;

    [[nodiscard]] bool empty() const { return width == 0 || height == 0; }
    /// Whether rows so far apart do not overlap, and the whole is of a size that can be.
    [[nodiscard]] bool fit(std::size_t pitch) const { return width <= pitch && height <= SIZE_MAX / pitch; }
};

hipError_t copy_rows_now(Runtime& runtime, const char* call, void* dst, std::size_t dpitch, const void* src,
                         std::size_t spitch, const Rows& rows, hipMemcpyKind kind) {
    for (std::size_t y = 0; y < rows.height; ++y) {
        const hipError_t error = copy_now(runtime, call, static_cast<std::byte*>(dst) + y * dpitch,
                                          static_cast<const std::byte*>(src) + y * spitch, rows.width, kind);
        if (error != hipSuccess) return error;
    }
    return hipSuccess;
}

hipError_t check_rows(const void* dst, std::size_t dpitch, const void* src, std::size_t spitch, const Rows& rows,
                      hipMemcpyKind kind) {
    if (const hipError_t error = check_copy(dst, src, rows.empty() ? 0 : 1, kind); error != hipSuccess) return error;
    if (rows.empty()) return hipSuccess;
    return rows.fit(dpitch) && rows.fit(spitch) ? hipSuccess : hipErrorInvalidPitchValue;
}

hipError_t copy_rows(void* dst, std::size_t dpitch, const void* src, std::size_t spitch, const Rows& rows,
                     hipMemcpyKind kind, const char* call = __builtin_FUNCTION()) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_rows(dst, dpitch, src, spitch, rows, kind); error != hipSuccess)
            return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return rows.empty() ? hipSuccess : copy_rows_now(runtime, call, dst, dpitch, src, spitch, rows, kind);
    });
}

hipError_t copy_rows_async(void* dst, std::size_t dpitch, const void* src, std::size_t spitch, const Rows& rows,
                           hipMemcpyKind kind, hipStream_t stream, const char* call = __builtin_FUNCTION()) {
    return api([&](Runtime& runtime) {
        if (const hipError_t error = check_rows(dst, dpitch, src, spitch, rows, kind); error != hipSuccess)
            return error;
        return runtime.enqueue(stream, {hipGraphNodeTypeMemcpy,
                                        [=](Runtime& r) {
                                            return rows.empty()
                                                       ? hipSuccess
                                                       : copy_rows_now(r, call, dst, dpitch, src, spitch, rows, kind);
                                        },
                                        {}});
    });
}

hipError_t fill_rows_now(Runtime& runtime, void* dst, std::size_t pitch, int value, const Rows& rows) {
    for (std::size_t y = 0; y < rows.height; ++y) {
        const hipError_t error =
            fill_now(runtime, static_cast<std::byte*>(dst) + y * pitch, static_cast<std::uint8_t>(value), rows.width);
        if (error != hipSuccess) return error;
    }
    return hipSuccess;
}

hipError_t check_fill_rows(const void* dst, std::size_t pitch, const Rows& rows) {
    if (rows.empty()) return hipSuccess;
    if (dst == nullptr) return hipErrorInvalidValue;
    return rows.fit(pitch) ? hipSuccess : hipErrorInvalidPitchValue;
}

} // namespace
} // namespace pm::hip

PM_EXPORT hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
    return pm::hip::copy(dst, src, sizeBytes, kind);
}
PM_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void* src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyHostToDevice);
}
PM_EXPORT hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyDeviceToHost);
}
PM_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes) {
    return pm::hip::copy(dst, src, sizeBytes, hipMemcpyDeviceToDevice);
}
PM_EXPORT hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                                    hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, kind, stream);
}
PM_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void* src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyHostToDevice, stream);
}
PM_EXPORT hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream);
}
PM_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream);
}

PM_EXPORT hipError_t hipMemset(void* dst, int value, size_t sizeBytes) {
    return pm::hip::fill(dst, static_cast<std::uint8_t>(value), sizeBytes);
}
PM_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count) {
    return pm::hip::fill(dest, value, count);
}
PM_EXPORT hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
    return pm::hip::fill_async(dst, static_cast<std::uint8_t>(value), sizeBytes, stream);
}
PM_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dest, value, count, stream);
}
PM_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dest, value, count, stream);
}
PM_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
    return pm::hip::fill_async(dst, value, count, stream);
}

PM_EXPORT hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                                         hipStream_t stream) {
    return pm::hip::copy_async(dst, src, sizeBytes, kind, stream);
}
// A copy between devices goes through the host, which sees both.
PM_EXPORT hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t sizeBytes) {
    return hipMemcpyPeerAsync(dst, dstDeviceId, src, srcDeviceId, sizeBytes, nullptr);
}
PM_EXPORT hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDevice, size_t sizeBytes,
                                        hipStream_t stream) {
    int count = 0;
    if (const hipError_t error = hipGetDeviceCount(&count); error != hipSuccess) return error;
    if (dstDeviceId < 0 || dstDeviceId >= count || srcDevice < 0 || srcDevice >= count) {
        pm::hip::last_error() = hipErrorInvalidDevice;
        return hipErrorInvalidDevice;
    }
    return pm::hip::copy_async(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream);
}

PM_EXPORT hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                                 hipMemcpyKind kind) {
    return pm::hip::copy_rows(dst, dpitch, src, spitch, {width, height}, kind);
}
PM_EXPORT hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                                      size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return pm::hip::copy_rows_async(dst, dpitch, src, spitch, {width, height}, kind, stream);
}

PM_EXPORT hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
    return pm::hip::api([&](pm::hip::Runtime& runtime) {
        const pm::hip::Rows rows{width, height};
        if (const hipError_t error = pm::hip::check_fill_rows(dst, pitch, rows); error != hipSuccess) return error;
        if (runtime.capture_in_the_way() != nullptr) return hipErrorStreamCaptureUnsupported;
        return rows.empty() ? hipSuccess : pm::hip::fill_rows_now(runtime, dst, pitch, value, rows);
    });
}
PM_EXPORT hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height,
                                      hipStream_t stream) {
    return pm::hip::api([&](pm::hip::Runtime& runtime) {
        const pm::hip::Rows rows{width, height};
        if (const hipError_t error = pm::hip::check_fill_rows(dst, pitch, rows); error != hipSuccess) return error;
        return runtime.enqueue(stream, {hipGraphNodeTypeMemset,
                                        [=](pm::hip::Runtime& r) {
                                            return rows.empty() ? hipSuccess
                                                                : pm::hip::fill_rows_now(r, dst, pitch, value, rows);
                                        },
                                        {}});
    });
}
