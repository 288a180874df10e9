// Device memory with an owner: alone in an allocation of exactly its size, or between guard bytes.
#pragma once

#include "contract/device/hip_library.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hkc {

enum class Placement : std::uint8_t {
    kExact,  // the payload ends where the allocation ends
    kGuarded // guard bytes before and after the payload
};

/// Guard bytes on each side of a guarded payload.
inline constexpr std::size_t kGuardBytes = 4096;

/// Bytes on the device. `offset` bytes of the allocation come before the payload (before its guard, where it has one),
/// so that a payload can stand at any alignment: allocations themselves are aligned to 256 or more.
class DeviceBuffer {
public:
    /// Allocates; the payload is not written, guards are. Error: the HIP call that failed.
    static pm::Result<DeviceBuffer> create(const HipApi& api, std::size_t size, Placement placement,
                                           std::size_t offset);

    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer();

    /// The device address of the payload.
    std::uint64_t address() const;
    /// Payload bytes.
    std::size_t size() const { return size_; }
    Placement placement() const { return placement_; }

    /// Writes the whole payload, from a span of exactly its size.
    pm::Result<void> write(std::span<const std::byte> bytes) const;
    /// Reads the whole payload, into a span of exactly its size.
    pm::Result<void> read(std::span<std::byte> bytes) const;

    /// The first guard byte that is no longer what it was, as a byte offset from the payload's start (negative before
    /// it, `size()` or more behind it); nothing where all are whole, or where there are none.
    pm::Result<std::optional<std::int64_t>> damaged_guard() const;

private:
    DeviceBuffer(const HipApi& api, std::size_t size, Placement placement, std::size_t front)
        : api_(&api), size_(size), front_(front), placement_(placement) {}
    void release();

    const HipApi* api_ = nullptr;
    void* base_ = nullptr;
    std::size_t size_ = 0;
    std::size_t front_ = 0; // bytes of the allocation before the payload
    Placement placement_ = Placement::kExact;
};

} // namespace hkc
