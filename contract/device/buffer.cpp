#include "contract/device/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hkc {
namespace {

// Differs from its neighbours and from both poison patterns, so that a copied or shifted guard is seen.
std::byte guard_byte(std::size_t i) { return static_cast<std::byte>((0xC3U + i * 37U) & 0xFFU); }

std::vector<std::byte> guard_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = guard_byte(i);
    return bytes;
}

std::optional<std::size_t> first_difference(std::span<const std::byte> is) {
    for (std::size_t i = 0; i < is.size(); ++i)
        if (is[i] != guard_byte(i)) return i;
    return std::nullopt;
}

} // namespace

pm::Result<DeviceBuffer> DeviceBuffer::create(const HipApi& api, std::size_t size, Placement placement,
                                              std::size_t offset) {
    const bool guarded = placement == Placement::kGuarded;
    DeviceBuffer buffer(api, size, placement, offset + (guarded ? kGuardBytes : 0));
    const std::size_t total = buffer.front_ + size + (guarded ? kGuardBytes : 0);
    // A null pointer is what HIP gives for no bytes, and what a kernel of no elements may be handed.
    if (total == 0) return buffer;
    if (const hipError_t e = api.hipMalloc(&buffer.base_, total); e != hipSuccess)
        return pm::Error{hip_error_text(api, fmt::format("hipMalloc of {} bytes", total), e)};
    if (guarded) {
        for (const auto& [at, count] : {std::pair<std::size_t, std::size_t>{0, buffer.front_},
                                        std::pair<std::size_t, std::size_t>{buffer.front_ + size, kGuardBytes}}) {
            const auto guard = guard_bytes(count);
            const hipError_t e =
                api.hipMemcpy(static_cast<std::byte*>(buffer.base_) + at, guard.data(), count, hipMemcpyHostToDevice);
            if (e != hipSuccess) return pm::Error{hip_error_text(api, "hipMemcpy of guard bytes", e)};
        }
    }
    return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : api_(other.api_), base_(std::exchange(other.base_, nullptr)), size_(other.size_), front_(other.front_),
      placement_(other.placement_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    if (this != &other) {
        release();
        api_ = other.api_;
        base_ = std::exchange(other.base_, nullptr);
        size_ = other.size_;
        front_ = other.front_;
        placement_ = other.placement_;
    }
    return *this;
}

DeviceBuffer::~DeviceBuffer() { release(); }

void DeviceBuffer::release() {
    // A failing free after a device fault has nobody to tell: the fault itself was reported.
    if (base_ != nullptr) (void)api_->hipFree(base_);
    base_ = nullptr;
}

std::uint64_t DeviceBuffer::address() const {
    return base_ == nullptr ? 0 : reinterpret_cast<std::uint64_t>(base_) + front_;
}

pm::Result<void> DeviceBuffer::write(std::span<const std::byte> bytes) const {
    if (bytes.size() != size_)
        return pm::Error{fmt::format("{} bytes written to a device buffer of {} bytes", bytes.size(), size_)};
    if (size_ == 0) return {};
    const hipError_t e =
        api_->hipMemcpy(reinterpret_cast<void*>(address()), bytes.data(), size_, hipMemcpyHostToDevice);
    if (e != hipSuccess)
        return pm::Error{hip_error_text(*api_, fmt::format("hipMemcpy of {} bytes to the device", size_), e)};
    return {};
}

pm::Result<void> DeviceBuffer::read(std::span<std::byte> bytes) const {
    if (bytes.size() != size_)
        return pm::Error{fmt::format("{} bytes read from a device buffer of {} bytes", bytes.size(), size_)};
    if (size_ == 0) return {};
    const hipError_t e =
        api_->hipMemcpy(bytes.data(), reinterpret_cast<void*>(address()), size_, hipMemcpyDeviceToHost);
    if (e != hipSuccess)
        return pm::Error{hip_error_text(*api_, fmt::format("hipMemcpy of {} bytes to the host", size_), e)};
    return {};
}

pm::Result<std::optional<std::int64_t>> DeviceBuffer::damaged_guard() const {
    if (placement_ == Placement::kExact) return std::optional<std::int64_t>{};
    std::vector<std::byte> bytes(std::max(front_, kGuardBytes));
    const auto* base = static_cast<const std::byte*>(base_);
    for (const auto& [at, count] : {std::pair<std::size_t, std::size_t>{0, front_}, {front_ + size_, kGuardBytes}}) {
        const std::span<std::byte> guard = std::span(bytes).first(count);
        if (const hipError_t e = api_->hipMemcpy(guard.data(), base + at, count, hipMemcpyDeviceToHost);
            e != hipSuccess)
            return pm::Error{hip_error_text(*api_, "hipMemcpy of guard bytes", e)};
        if (const auto first = first_difference(guard))
            return std::optional<std::int64_t>(static_cast<std::int64_t>(at + *first) -
                                               static_cast<std::int64_t>(front_));
    }
    return std::optional<std::int64_t>{};
}

} // namespace hkc
