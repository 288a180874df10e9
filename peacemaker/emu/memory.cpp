#include "peacemaker/emu/memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>

namespace pm::emu {
namespace {

constexpr std::uint64_t kAlignment = 256;
/// Bytes behind an allocation that no other one may use.
constexpr std::uint64_t kGap = 256;
constexpr std::uint64_t kMostCapacity = std::uint64_t{16} << 30;
/// What fresh memory holds: anything but the zeros that a kernel might get away with.
constexpr int kPoison = 0xA5;

std::uint64_t footprint(std::uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment + kGap; }

std::byte* new_bytes(std::uint64_t size) {
    return static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlignment}, std::nothrow));
}

void delete_bytes(std::byte* data) { ::operator delete (data, std::align_val_t{kAlignment}); }

} // namespace

Memory::Memory(std::uint64_t capacity) : capacity_(capacity != 0 ? capacity : default_capacity()) {}

Memory::~Memory() {
    for (const auto& [address, allocation] : by_address_)
        if (!allocation->mapped) delete_bytes(allocation->data);
}

std::uint64_t Memory::default_capacity() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return kMostCapacity;
    return std::min(kMostCapacity, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4);
}

Allocation* Memory::allocate(std::uint64_t size) {
    if (size > capacity_ - allocated_) return nullptr;
    std::byte* data = new_bytes(footprint(size));
    if (data == nullptr) return nullptr;
    try {
        auto allocation = std::make_unique<Allocation>();
        allocation->address = reinterpret_cast<std::uint64_t>(data);
        allocation->size = size;
        allocation->data = data;
        allocation->undefined.assign(size, 0xFF);
        Allocation* result = allocation.get();
        forget_mapped(result->address, footprint(size));
        by_address_.emplace(result->address, std::move(allocation));
        std::memset(data, kPoison, footprint(size));
        allocated_ += size;
        return result;
    } catch (const std::bad_alloc&) {
        delete_bytes(data);
        return nullptr;
    }
}

Allocation* Memory::map(std::byte* data, std::uint64_t size) {
    const auto address = reinterpret_cast<std::uint64_t>(data);
    if (size == 0 || address + size < address) return nullptr;
    const auto above = by_address_.lower_bound(address);
    if (above != by_address_.end() && above->first < address + size) return nullptr;
    if (find(address) != nullptr) return nullptr;
    auto allocation = std::make_unique<Allocation>();
    allocation->address = address;
    allocation->size = size;
    allocation->data = data;
    allocation->mapped = true;
    return by_address_.emplace(address, std::move(allocation)).first->second.get();
}

void Memory::forget_mapped(std::uint64_t address, std::uint64_t size) {
    auto at = by_address_.lower_bound(address);
    if (at != by_address_.begin() && std::prev(at)->second->contains(address, 1)) --at;
    while (at != by_address_.end() && at->first < address + size)
        at = at->second->mapped ? by_address_.erase(at) : std::next(at);
}

bool Memory::free(std::uint64_t address) {
    const auto found = by_address_.find(address);
    if (found == by_address_.end()) return false;
    if (!found->second->mapped) {
        allocated_ -= found->second->size;
        delete_bytes(found->second->data);
    }
    by_address_.erase(found);
    return true;
}

Allocation* Memory::find(std::uint64_t address) {
    return const_cast<Allocation*>(static_cast<const Memory*>(this)->find(address));
}

const Allocation* Memory::find(std::uint64_t address) const {
    const auto above = by_address_.upper_bound(address);
    if (above == by_address_.begin()) return nullptr;
    const Allocation* below = std::prev(above)->second.get();
    return below->contains(address, 1) ? below : nullptr;
}

const Allocation* Memory::nearest(std::uint64_t address) const {
    const auto above = by_address_.upper_bound(address);
    const Allocation* after = above == by_address_.end() ? nullptr : above->second.get();
    if (above == by_address_.begin()) return after;
    const Allocation* before = std::prev(above)->second.get();
    if (after == nullptr || before->contains(address, 1)) return before;
    return address - (before->address + before->size) < after->address - address ? before : after;
}

void Memory::set_defined(Allocation& allocation, std::uint64_t address, std::uint64_t size) {
    if (allocation.whole() || size == 0) return;
    std::memset(allocation.undefined.data() + (address - allocation.address), 0, size);
}

void Memory::set_undefined(Allocation& allocation, std::uint64_t address, std::uint64_t size) {
    if (size == 0) return;
    if (allocation.whole()) allocation.undefined.assign(allocation.size, 0);
    std::memset(allocation.undefined.data() + (address - allocation.address), 0xFF, size);
}

std::uint64_t Memory::first_undefined(const Allocation& allocation, std::uint64_t address, std::uint64_t size) {
    if (allocation.whole()) return 0;
    const std::uint8_t* const masks = allocation.undefined.data() + (address - allocation.address);
    std::uint64_t at = 0;
    // Eight at a time up to the first that counts.
    for (std::uint64_t eight = 0; size - at >= sizeof eight; at += sizeof eight) {
        std::memcpy(&eight, masks + at, sizeof eight);
        if (eight != 0) break;
    }
    while (at < size && masks[at] == 0) ++at;
    return at == size ? 0 : address + at;
}

void Memory::settle(Allocation& allocation) {
    if (allocation.whole() || first_undefined(allocation, allocation.address, allocation.size) != 0) return;
    std::vector<std::uint8_t>().swap(allocation.undefined);
}

} // namespace pm::emu
